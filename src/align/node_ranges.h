// Work on all clocks in parts that do not depend on how many threads there are, so that no sum does either.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/parallel.h"

namespace orrery::align {

/// Fewer unknowns than this take less time than it takes to wake other threads.
inline constexpr std::size_t kWorthThreads = 20'000;

/// Calls body(begin, end) for ranges of nodes that cover them all, side by side where that is worth the trouble. A
/// range has some cache lines of every knot.
template <typename Body>
void for_node_ranges(std::size_t knots, std::size_t nodes, const Body& body) {
  constexpr std::size_t kNodes = 64;
  if (knots * nodes < kWorthThreads) {
    if (nodes > 0) body(std::size_t{0}, nodes);
    return;
  }
  parallel_for((nodes + kNodes - 1) / kNodes,
               [&](std::size_t i) { body(i * kNodes, std::min((i + 1) * kNodes, nodes)); });
}

/// Calls body(begin, end) for ranges that cover 0 to `size`, and returns the sum of the results in the order of the
/// ranges.
template <typename Body>
double sum_over_ranges(std::size_t size, const Body& body) {
  constexpr std::size_t kRange = 1 << 16;
  if (size <= kRange) return body(std::size_t{0}, size);
  std::vector<double> sums((size + kRange - 1) / kRange);
  parallel_for(sums.size(), [&](std::size_t i) { sums[i] = body(i * kRange, std::min((i + 1) * kRange, size)); });
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace orrery::align
