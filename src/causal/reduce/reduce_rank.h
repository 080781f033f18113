// A rank's graph reduced to what the other ranks of its job can tell of it.
//
// Others hold a rank at its communications, and are held by it there: the begin, the end, and where communications
// arrive and end are its outside moments, and the communications themselves may take any time from 0 on. The reduced
// graph has these moments, and of everything else only what is on the longest path between some of them for some such
// times (graph/reduce.h). In every job that the rank is part of, for every transfer and whatever the others do, it has
// the same times at these moments, and the same path to each, piece by piece. What local work would take instead is a
// question to the whole graph.
#pragma once

#include <span>
#include <vector>

#include "causal/rank_graph.h"
#include "graph/graph.h"

namespace orrery::causal {

/// What of a rank's graph the job touches, and how its work is counted.
struct ReductionRequest {
  std::vector<graph::Slot>
      communications;  ///< ascending: the edges in which the rank may be held, or that may take another time
  std::vector<TimePs> step_begin;  ///< since the window's begin, of the steps in the window
};

/// A RankGraph again. Communications keep their kind and owner; so do edges of no owner; all others are of kind
/// `several`, their tag the number of a list in `pieces`. Owners are those of communications alone; annotations are
/// left out. `step` has its class_name. O(nodes + edges) as a rule.
RankGraph reduce_rank(const RankGraph& step, const ReductionRequest& request);

}  // namespace orrery::causal
