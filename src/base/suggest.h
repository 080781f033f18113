// "Did you mean …": the known word nearest to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace orrery {

// The words of a line.

/// What stands between blanks, tabs and returns, in its order. `words` is cleared first: a reader of many lines keeps
/// its memory.
void split_words(std::string_view line, std::vector<std::string_view>& words);
std::vector<std::string_view> split_words(std::string_view line);

/// Insertions, deletions, replacements and swaps of neighbours needed to make `b` out of `a` (optimal string alignment,
/// bytes).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word that `typed` is most likely meant to be: one that it begins, or one within a third of its length in edits.
/// The nearest wins, then the first in `known`. Empty when nothing is near, or `typed` is longer than any word would
/// be.
std::string_view nearest_word(std::string_view typed, std::span<const std::string_view> known);

}  // namespace orrery
