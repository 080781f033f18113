// What the activities of a kept schedule waited for, added up: the sums that a SummedSchedule makes while a run goes.
#pragma once

#include "simulate/causes.h"
#include "simulate/wait_sums.h"

namespace orrery::simulate {

/// The arguments must belong together, as for critical_path(). O(activities + dependencies), and what Causes takes
/// where nothing was told.
WaitSums sum_waits(Causes& causes, const JobPlan& plan, const Schedule& schedule);

}  // namespace orrery::simulate
