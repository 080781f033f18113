// orrery motif run and list: built-in motifs, and files of them, on a machine.
#pragma once

#include <vector>

#include "cli/exit_code.h"
#include "cli/flag.h"
#include "cli/invocation.h"

namespace orrery::cli {

/// The operand behind "run" is the name of a motif, or a file with jobs.
ExitCode run_motif_run(Invocation& invocation);
/// Names, parameters with their defaults, a sentence each.
ExitCode run_motif_list(Invocation& invocation);

/// What `run` takes beside --nodes; flags of the simulation included.
std::vector<Flag> motif_run_flags();

}  // namespace orrery::cli
