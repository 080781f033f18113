// The OTF2 library's callbacks, collected.
#pragma once

#include <string>

#include "base/result.h"
#include "formats/otf2/archive_calls.h"

namespace orrery::otf2 {

Result<Archive> collect_archive(const std::string& anchor);

}  // namespace orrery::otf2
