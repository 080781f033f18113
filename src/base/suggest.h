// "Did you mean …": the known word nearest to a mistyped one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace orrery {

/// Insertions, deletions, replacements and swaps of neighbours needed to make `b` out of `a` (optimal string alignment,
/// bytes).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The word that `typed` is most likely meant to be: one that it begins, or one within a third of its length in edits.
/// The nearest wins, then the first in `known`. Empty when nothing is near, or `typed` is longer than any word would
/// be.
std::string_view nearest_word(std::string_view typed, std::span<const std::string_view> known);

}  // namespace orrery
