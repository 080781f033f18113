// Reads what rocprofv3 --output-format json writes: docs/formats/rocprof.md.
#pragma once

#include <string>

#include "base/result.h"
#include "formats/format.h"
#include "formats/rocprof/rocpd_reader.h"

namespace orrery::rocprof {

/// "rocprofiler-sdk-tool" is among the first keys.
bool looks_like_json(const formats::Head& head);

/// A process per element of the list. Held in memory as a whole.
Result<ReadFile> read_json(const std::string& path, const ReadOptions& options);

}  // namespace orrery::rocprof
