// One rank's program in time, alone: every activity takes as long as it was recorded to take, and starts as soon as it may.
#pragma once

#include "base/column.h"
#include "workload/workload.h"

namespace orrery::link {

struct ProgramReplay {
  Column<TimePs> start;  ///< per activity; 0 is when the first ones start
  TimePs span = 0;       ///< when the last one ends
};

/// Collectives and messages wait for nobody. O(activities + dependencies).
ProgramReplay replay_alone(const workload::Program& program);

}  // namespace orrery::link
