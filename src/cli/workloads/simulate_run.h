// Running a workload on a machine and telling what came of it: what every verb does that simulates.
#pragma once

#include <optional>
#include <string>

#include "cli/frame/invocation.h"
#include "cli/workloads/network_flags.h"
#include "cli/workloads/simulate_report.h"
#include "machine/machine.h"
#include "simulate/run.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::cli {

/// The invocation must declare the flags output, per-node, path, waits, no-symmetry, report and csv (with_run_flags()),
/// and those of with_network_flags().
struct SimulationRun {
  const machine::Machine& machine;
  NamedPricing priced_by;
  simulate::EngineOptions options;
  std::optional<machine::AstraFiles> astra_files =
      {};                     ///< of astra-sidecar: the user's own description of the machine, if there is one
  bool shows_phases = false;  ///< activities have the names of phases, which are added up
};

/// With csv, per-node, path, waits, no-symmetry and report behind the verb's own: what a run shows, and how it is made.
std::vector<Flag> with_run_flags(std::vector<Flag> flags);

/// A job that is made while it runs. Where all that is asked for can be added up, it is made and forgotten step by
/// step; -o, --per-node, --path and models without links hold all of it.
ExitCode run_source(Invocation& invocation, SimulationRun run, workload::WorkloadSource& source);

/// A workload in memory.
ExitCode run_workload(Invocation& invocation, SimulationRun run, const workload::Workload& workload);

/// Whether run_source would not hold all of the job.
bool can_be_summed(const Invocation& invocation, const simulate::Pricing& pricing);

/// Writes and reports what came out.
ExitCode finish_simulation(Invocation& invocation, const SimulationReport& report);

}  // namespace orrery::cli
