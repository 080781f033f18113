// Several what-ifs in one sweep: the rows are read once for up to eight of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "graph/longest_path.h"

namespace orrery::graph {

/// What solve(edits, end) returns for each, bit for bit. All must be edits of the same graph. Solutions of one sweep share their memory:
/// 8 bytes per node and scenario, freed with the last of them.
std::vector<Solution> solve_many(std::span<const Edits> scenarios, NodeId end = kNoNode);

/// How many share a sweep: their finishes of one node are a cache line.
inline constexpr std::size_t kSolvedAtOnce = 8;

/// Only the lengths, of any number of scenarios: made when their sweep begins (`edits_of(i)`) and freed with it. Fewer at once need less memory.
template <typename EditsOf>
std::vector<TimePs> solve_lengths(std::size_t count, NodeId end, EditsOf&& edits_of, std::size_t at_once = kSolvedAtOnce) {
  std::vector<TimePs> lengths;
  for (std::size_t first = 0; first < count; first += at_once) {
    std::vector<Edits> scenarios;
    for (std::size_t i = first; i < count && i < first + at_once; ++i) scenarios.push_back(edits_of(i));
    for (const Solution& solution : solve_many(scenarios, end)) lengths.push_back(solution.length());
  }
  return lengths;
}

}  // namespace orrery::graph
