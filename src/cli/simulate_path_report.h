// The critical path of a simulated run, across ranks.
#pragma once

#include <span>

#include "cli/invocation.h"
#include "cli/simulate_report.h"
#include "simulate/causes.h"

namespace orrery::cli {

/// Adds to what report_simulation() wrote: to data() its pieces, to text() what it consists of.
void report_simulated_path(Invocation& invocation, const SimulationReport& report, std::span<const simulate::PathPiece> path);

}  // namespace orrery::cli
