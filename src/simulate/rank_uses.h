// What ranks did with their time, worked out from when their activities ran.
#pragma once

#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// By rank. For simulators that do not count while they run. O(n log n) per rank.
Column<RankUse> rank_uses(const workload::Workload& workload, const Schedule& schedule);

}  // namespace orrery::simulate
