// What one rank brings along when a job is joined.
#pragma once

#include <vector>

#include "link/rank_graph.h"
#include "trace/trace.h"

namespace orrery::link {

struct RankToJoin {
  RankGraph step;
  std::vector<trace::EventIndex> step_events;  ///< its steps in the window, in order: as many on every rank
};

}  // namespace orrery::link
