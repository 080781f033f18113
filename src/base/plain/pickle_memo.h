// Which values of a pickle are referred to again.
#pragma once

#include <string_view>
#include <vector>

namespace orrery {

/// By number of the memo, whether some opcode of the pickle asks for it; none asks for those behind the last. A walk
/// over the opcodes alone, which makes nothing and finds no fault.
std::vector<bool> fetched_numbers(std::string_view pickle);

}  // namespace orrery
