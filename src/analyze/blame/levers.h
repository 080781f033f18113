// What is worth fixing first: everything of a job that could be made faster, each with what that would save.
//
// A lever is a class of work on all ranks, the transfers of one kind in one group, or one sort of delay. Its derivative
// says which part of a small saving reaches the job; how long that lasts is not in a derivative, so the job is solved
// again with the lever free, and with the lever 10 % faster. What is not on the path saves nothing, however much is
// taken off, and is not solved; what is saves at most its time there, so that of thousands of levers those with most
// time on the path are solved, and the others are known not to matter more than that. Two levers may save the same
// time, or uncover what the other hides: the best ones are solved in pairs, too, and put into the order in which each
// adds most to those before.
//
// Groups that do the same side by side (the tensor-parallel pairs of a job) hide one another: each alone saves nothing,
// since the others take as long. So all groups of one kind of operation and one size are solved together as well, and
// told where that saves more than they do one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analyze/blame/lever_table.h"
#include "causal/causal_graph.h"
#include "graph/longest_path.h"

namespace orrery::analyze {

/// Levers are places in Levers::all.
struct LeverPair {
  std::uint32_t a = 0, b = 0;
  TimePs gain_both = 0;  ///< of both 10 % faster
  TimePs overlap = 0;    ///< what the two gains alone would count twice; below 0: together they save more
};

struct LeverStep {
  std::uint32_t lever = 0;
  TimePs gain = 0;        ///< more than those before
  TimePs total_gain = 0;  ///< with them
};

/// The groups of one kind of operation that have as many members, as one lever.
struct LeverUnion {
  StringId what = 0;  ///< all_reduce, p2p
  std::uint32_t groups = 0;
  std::uint32_t members = 0;  ///< of each
  std::string select = {};    ///< an edit's selection
  TimePs total = 0;
  TimePs on_path = 0;
  TimePs gain_if_free = 0;
  TimePs gain_10pct = 0;
  TimePs alone_if_free = 0;  ///< the gains of the groups one by one, added up
  TimePs alone_10pct = 0;
};

struct RankGain {
  std::uint32_t rank = 0;  ///< place in CausalGraph::ranks
  TimePs gain_if_typical = 0;
};

struct Levers {
  TimePs length = 0;               ///< of the job
  std::vector<Lever> all;          ///< by gain if free (not solved: as if 0), then time on the path, total, selection
  std::vector<LeverPair> pairs;    ///< of the five best at 10 %, in their order
  std::vector<LeverStep> order;    ///< of the same
  std::vector<LeverUnion> unions;  ///< that save more than their groups alone; by gain if free, then selection
  std::vector<RankGain> ranks;     ///< ascending; of more than 64 those with most work on the path, others gain nothing
};

/// How many levers of a job with so many edges are solved: 1,000, or as many as take two thousand million looks at an
/// edge. Jobs as people write them have some hundred; without a bound a job in which every event has a name of its own
/// would take the square of its size.
constexpr std::size_t most_levers_solved(std::uint64_t edges) {
  constexpr std::uint64_t kAlways = 1'000, kLooks = 2'000'000'000;
  return std::max(kAlways, kLooks / (2 * std::max<std::uint64_t>(edges, 1)));
}

/// Two solves for each lever on the path, of those with most time there if they are more than `most_solved`, eight at
/// once; up to sixteen for pairs and order, two for each union, and one for each rank.
Levers find_levers(const causal::CausalGraph& job, std::size_t most_solved);
inline Levers find_levers(const causal::CausalGraph& job) {
  return find_levers(job, most_levers_solved(job.graph.edge_count()));
}

}  // namespace orrery::analyze
