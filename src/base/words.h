// The words of a line.
#pragma once

#include <string_view>
#include <vector>

namespace orrery {

/// What stands between blanks, tabs and returns, in its order. `words` is cleared first: a reader of many lines keeps
/// its memory.
void split_words(std::string_view line, std::vector<std::string_view>& words);
std::vector<std::string_view> split_words(std::string_view line);

}  // namespace orrery
