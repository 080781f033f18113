// orrery replay --on mpi: a workload executed by the processes that this was started as.
#pragma once

#include <optional>
#include <vector>

#include "cli/frame/flag.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

ExitCode run_replay_on_mpi(Invocation& invocation);

/// What makes no sense without --on mpi, if anything.
std::optional<UsageError> check_flags_without_mpi(const Invocation& invocation);

/// --on and what belongs to it, behind the verb's own.
std::vector<Flag> with_mpi_replay_flags(std::vector<Flag> flags);

}  // namespace orrery::cli
