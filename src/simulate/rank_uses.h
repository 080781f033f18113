// What ranks did with their time, worked out from when their activities ran.
#pragma once

#include "graph/workload.h"
#include "simulate/schedule.h"

namespace orrery::simulate {

/// By rank. For simulators that do not count while they run. O(n log n) per rank.
Column<RankUse> rank_uses(const graph::Workload& workload, const Schedule& schedule);

}  // namespace orrery::simulate
