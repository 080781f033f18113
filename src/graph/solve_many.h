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

/// Lengths only, sweep after sweep in the same memory: 8 bytes per node and scenario of the largest sweep, touched once.
class LengthSolver {
 public:
  /// What solve(edits, end).length() returns for each; `end` is a node. At most kSolvedAtOnce scenarios, of one graph.
  std::vector<TimePs> solve(std::span<const Edits> scenarios, NodeId end);

 private:
  Column<TimePs> finish_;
};

/// The lengths of any number of scenarios, which are made when their sweep begins (`edits_of(i)`) and freed with it. Fewer at once need less memory.
template <typename EditsOf>
std::vector<TimePs> solve_lengths(LengthSolver& solver, std::size_t count, NodeId end, EditsOf&& edits_of,
                                  std::size_t at_once = kSolvedAtOnce) {
  std::vector<TimePs> lengths;
  for (std::size_t first = 0; first < count; first += at_once) {
    std::vector<Edits> scenarios;
    for (std::size_t i = first; i < count && i < first + at_once; ++i) scenarios.push_back(edits_of(i));
    for (const TimePs length : solver.solve(scenarios, end)) lengths.push_back(length);
  }
  return lengths;
}
template <typename EditsOf>
std::vector<TimePs> solve_lengths(std::size_t count, NodeId end, EditsOf&& edits_of, std::size_t at_once = kSolvedAtOnce) {
  LengthSolver solver;
  return solve_lengths(solver, count, end, edits_of, at_once);
}

}  // namespace orrery::graph
