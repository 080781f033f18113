// The OTF2 library's callbacks, collected.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/otf2/archive_calls.h"

namespace orrery::otf2 {

Result<Archive> collect_archive(const std::string& anchor);
/// Of the library that this was built with; empty without one.
std::string_view library_version();

}  // namespace orrery::otf2
