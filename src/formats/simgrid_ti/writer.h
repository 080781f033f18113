// A Workload as SimGrid's time-independent traces: what `smpirun -replay` runs.
#pragma once

#include <string>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::simgrid_ti {

/// What one rank does, a line per action: "0 sleep 0.000005000000", "0 isend 1 0 1024 6", "0 wait 0 1 0". Computations
/// are pauses of as many seconds, on hosts of any speed. Messages are sent and received without blocking and waited for
/// where the program does; where the next activity waits for a message, it blocks. Sizes are bytes (SimGrid's datatype
/// 6).
///
/// An Error names what the format has no word for: a collective of a part of the ranks (SimGrid replays every
/// collective among all), one with parts of unequal size other than all_to_all, an activity that waits for a start, a
/// receive from any rank. The workload must not speak of roles.
Result<std::string> rank_text(const workload::Workload& workload, std::uint32_t rank);

/// PREFIX.txt, which lists PREFIX_rank-0.txt, PREFIX_rank-1.txt, ...: all of them or none.
Status write_workload(const workload::Workload& workload, const std::string& prefix);

}  // namespace orrery::simgrid_ti
