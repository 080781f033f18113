// Replay of all ranks together: the longest path through the graphs of all ranks, joined where they communicate.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate {

/// See replay(), which this is the half of. `begins`: by rank, at least 0. Without ranks in the schedule; with its
/// collectives.
Result<Schedule> replay_together(const workload::Workload& workload, const Column<TimePs>& begins,
                                 std::int64_t eager_limit_bytes);

}  // namespace orrery::simulate
