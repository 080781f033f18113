// What ranks did with their time, worked out from when their activities ran.
#pragma once

#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// By rank. For simulators that do not count while they run. O(n log n) per rank.
/// `host_computes`: of a rank whose device computes nothing the operators of the host are its computation, as in a job
/// on CPUs. Delays and gaps (workload/delays.h) are not.
Column<RankUse> rank_uses(const workload::Workload& workload, const Schedule& schedule, bool host_computes = false);

}  // namespace orrery::simulate
