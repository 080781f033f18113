// Standard input as a file that can be mapped and read twice.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery {

/// Whether this names the process's standard input: "-" or /dev/stdin.
bool is_standard_input(std::string_view path);

/// A path under which the content of standard input can be opened any number of times until the process ends: the file
/// it was redirected from, else a copy of all that comes, in a temporary file that has no name and is gone with the
/// process. To be called once.
Result<std::string> standard_input_file();

}  // namespace orrery
