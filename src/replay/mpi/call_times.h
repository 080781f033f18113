// Time that a recorded job spent inside calls of MPI, taken out of its programs: a replay makes the calls again, and
// they take what they take.
#pragma once

#include <cstdint>

#include "workload/workload.h"

namespace orrery::replay {

/// Returns how many activities take no time now that took some, over all ranks.
std::uint64_t drop_call_times(workload::Workload& workload);

}  // namespace orrery::replay
