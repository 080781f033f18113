// Several what-ifs in one sweep: the rows are read once for up to eight of them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "graph/longest_path.h"

namespace orrery::graph {

/// What solve(edits, end) returns for each, bit for bit. All must be edits of the same graph. Solutions of one sweep
/// share their memory: 8 bytes per node and scenario, freed with the last of them.
std::vector<Solution> solve_many(std::span<const Edits> scenarios, NodeId end = kNoNode);

/// How many share a sweep: their finishes of one node are a cache line.
inline constexpr std::size_t kSolvedAtOnce = 8;

/// What solve(edits, end).length() returns for any number of scenarios of one graph, which are made when their sweep
/// begins (`edits_of(i)`) and freed with it; `end` is a node. 8 bytes per node for each of `at_once` on every thread.
std::vector<TimePs> solve_lengths(std::size_t count, NodeId end, const std::function<Edits(std::size_t)>& edits_of,
                                  std::size_t at_once = kSolvedAtOnce);

}  // namespace orrery::graph
