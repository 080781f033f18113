// When the collectives of a schedule began and ended, worked out from its activities.
#pragma once

#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate {

// What ranks did with their time, worked out from when their activities ran.

/// By rank. For simulators that do not count while they run. O(n log n) per rank.
/// `host_computes`: of a rank whose device computes nothing the operators of the host are its computation, as in a job
/// on CPUs. Delays and gaps (workload/delays.h) are not.
Column<RankUse> rank_uses(const workload::Workload& workload, const Schedule& schedule, bool host_computes = false);

/// By communicator (all ranks first, then Workload::groups in order), each in program order: the k-th collective of a
/// group on one rank belongs to the k-th on every other, as in workload/matching.h. For simulators that do not count
/// while they run. What ranks disagree on is left out. O(activities).
Column<CollectiveUse> collective_uses(const workload::Workload& workload, const Schedule& schedule);

}  // namespace orrery::simulate
