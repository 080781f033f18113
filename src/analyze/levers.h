// What is worth fixing first: everything of a job that could be made faster, each with what that would save.
//
// A lever is a class of work on all ranks, the transfers of one kind in one group, or one sort of delay. Its derivative says which part of a
// small saving reaches the job; how long that lasts is not in a derivative, so the job is solved again with the lever free, and with the
// lever 10 % faster. What is not on the path saves nothing, however much is taken off, and is not solved. Two levers may save the same time,
// or uncover what the other hides: the best ones are solved in pairs, too, and put into the order in which each adds most to those before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/lever_table.h"
#include "graph/longest_path.h"
#include "link/job_graph.h"

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

struct RankGain {
  std::uint32_t rank = 0;  ///< place in JobGraph::ranks
  TimePs gain_if_typical = 0;
};

struct Levers {
  TimePs length = 0;             ///< of the job
  std::vector<Lever> all;        ///< by gain if free, then time on the path, total, selection
  std::vector<LeverPair> pairs;  ///< of the five best at 10 %, in their order
  std::vector<LeverStep> order;  ///< of the same
  std::vector<RankGain> ranks;   ///< ascending; of more than 64 those with most work on the path, others gain nothing
};

/// Two solves for each lever on the path, eight at once, up to sixteen for pairs and order, and one for each rank.
Levers find_levers(const link::JobGraph& job);

}  // namespace orrery::analyze
