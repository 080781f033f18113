// What scrubbed files are called: a file's name may tell the model as well.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "scrub/files/file_facts.h"

namespace orrery::scrub {

/// One name per file, each once: rank_3.kineto.json.gz, rank_3.host.json, job.3.et, job.groups.json. The rank is the file's; of a second file of the
/// same rank and kind the name goes on with _2. With `keep_names`, the names they have, .zst as .gz. Compressed files stay compressed.
std::vector<std::string> name_outputs(std::span<const FileFacts> files, bool keep_names, Diagnostics& diagnostics);

}  // namespace orrery::scrub
