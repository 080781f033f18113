// What a replay by MPI runs: whatever `simulate` takes as a workload, and motifs for as many ranks as there are processes.
#pragma once

#include "base/result.h"
#include "cli/frame/invocation.h"
#include "workload/workload.h"

namespace orrery::cli {

/// All of it, in memory.
Result<workload::Workload> load_mpi_replay(Invocation& invocation, std::size_t processes);

}  // namespace orrery::cli
