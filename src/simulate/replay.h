// A workload in time without a machine: every activity takes as long as it was recorded to take, and starts as soon as what it depends on
// has ended.
#pragma once

#include "base/result.h"
#include "graph/workload.h"
#include "simulate/schedule.h"

namespace orrery::simulate {

struct ReplayOptions {
  bool rendezvous = true;  ///< collectives and messages wait for their partners on other ranks; else every rank is on its own
};

/// Time 0 is the start of the earliest rank. With recorded starts, a rank begins at the recorded start of its first activity.
/// A collective that waits for its partners takes, once the last has come, as long as the shortest of the recorded durations: the others
/// were waiting too. An Error names who waits for whom if the ranks block one another.
Result<Schedule> replay(const graph::Workload& workload, const ReplayOptions& options = {});

/// The span from the first to the last recorded activity of a rank; 0 if starts were not recorded.
TimePs recorded_span(const graph::Program& program);

}  // namespace orrery::simulate
