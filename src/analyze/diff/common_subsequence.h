// The longest common subsequence of two sequences: which pieces of two runs are the same work.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace orrery::analyze {

/// Pairs (i, j) with a[i] == b[j], ascending in both, as many as there can be. Symbols are small numbers (a table of
/// their range is made).
///
/// Hirschberg's divide and conquer over rows that are kept as bits, one per element of b (Crochemore et al. 2001; Hyyrö
/// 2004): O(n m / 64) steps whatever the sequences are, and less where symbols are rare; memory O(n + m). 100,000
/// against 100,000 of few symbols in random order take two or three seconds, where the usual O(n d) would take 10^10
/// steps. Of several longest ones: equal ends first, then the earliest cut of b. Swapping a and b may choose another:
/// callers who need symmetry order them.
std::vector<std::pair<std::uint32_t, std::uint32_t>> common_subsequence(std::span<const std::uint32_t> a,
                                                                        std::span<const std::uint32_t> b);

}  // namespace orrery::analyze
