// orrery motif run and list: built-in motifs, and files of them, on a machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/frame/exit_code.h"
#include "cli/frame/flag.h"
#include "cli/frame/invocation.h"
#include "workload/source.h"

namespace orrery::cli {

/// The operand behind "run" is the name of a motif, or a file with jobs.
ExitCode run_motif_run(Invocation& invocation);
/// Names, parameters with their defaults, a sentence each.
ExitCode run_motif_list(Invocation& invocation);

/// The name of a built-in motif, or a file with jobs or a fitted motif.
bool is_motif(const std::string& what);
/// For so many ranks. The invocation must declare the flags set, size and seed.
Result<std::unique_ptr<workload::WorkloadSource>> open_motif(Invocation& invocation, const std::string& what,
                                                             std::uint32_t nodes);

/// What `run` takes beside --nodes; flags of the simulation included.
std::vector<Flag> motif_run_flags();

}  // namespace orrery::cli
