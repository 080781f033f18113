// From the operands of `orrery replay` to a Workload.
#pragma once

#include "base/result.h"
#include "cli/frame/invocation.h"
#include "job/read/workload_input.h"

namespace orrery::cli {

/// All ranks, or that of --rank; with the groups of --comm-group. Files are recorded as inputs.
Result<job::WorkloadInput> load_replay(Invocation& invocation);

}  // namespace orrery::cli
