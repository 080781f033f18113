// What the beginning of a file does not tell: formats whose files begin like those of others, as databases do, and
// whether one file holds a whole job.
#pragma once

#include <string>

#include "formats/format.h"

namespace orrery::job {

/// Whether the file is one of `format`, whose sniffer says that it may be. Opens it where the beginning does not tell.
bool is_inside(const formats::Format& format, const std::string& path);

/// Whether the file, one of `format`, holds several ranks; those of most formats hold one each.
bool holds_job(const formats::Format& format, const std::string& path);

}  // namespace orrery::job
