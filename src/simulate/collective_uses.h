// When the collectives of a schedule began and ended, worked out from its activities.
#pragma once

#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// By communicator (all ranks first, then Workload::groups in order), each in program order: the k-th collective of a
/// group on one rank belongs to the k-th on every other, as in workload/matching.h. For simulators that do not count
/// while they run. What ranks disagree on is left out. O(activities).
Column<CollectiveUse> collective_uses(const workload::Workload& workload, const Schedule& schedule);

}  // namespace orrery::simulate
