// What one rank brings along when a job is joined.
#pragma once

#include <vector>

#include "causal/rank_graph.h"
#include "trace/trace.h"

namespace orrery::causal {

struct RankToJoin {
  RankGraph step;
  std::vector<trace::EventIndex> step_events;  ///< its steps in the window, in order: as many on every rank
};

}  // namespace orrery::causal
