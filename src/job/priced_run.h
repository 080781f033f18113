// A priced run whose configuration may name the user's own ASTRA-sim: simulate/pricing with somebody who runs that program.
#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "machine/machine.h"
#include "simulate/engine/options.h"
#include "simulate/pricing/run_priced.h"
#include "workload/source.h"

namespace orrery::job {

/// As simulate::run_priced. Runs of the program that ended badly after a complete answer are counted (S108), and a machine that had to be described
/// to it differently is told (S109). An Error also as of AstraSidecar::open.
Result<simulate::PricedRun> run_priced_job(workload::WorkloadSource& source, const machine::Machine& machine,
                                           const simulate::PricingOptions& options, const simulate::EngineOptions& engine,
                                           Diagnostics& diagnostics, simulate::ScheduleSink* sink = nullptr);

}  // namespace orrery::job
