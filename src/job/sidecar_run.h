// A simulation whose network is the user's own ASTRA-sim.
#pragma once

#include <cstdint>

#include "base/diagnostics.h"
#include "base/result.h"
#include "job/astra_sidecar.h"
#include "machine/machine.h"
#include "simulate/engine/options.h"
#include "simulate/native.h"
#include "workload/workload.h"

namespace orrery::job {

inline constexpr DiagnosticKind kCrashedAfterAnswer{"S108", Severity::warning, "run of ASTRA-sim that ended badly after a complete answer",
                                                    "the answer is used"};

struct SidecarOutcome {
  simulate::NativeOutcome run;
  bool answered = true;             ///< false: the program was asked, and answered nothing: the times are not its own
  std::uint64_t runs = 0;           ///< of the program
  std::uint64_t known_answers = 0;  ///< questions that did not need one
};

/// What ASTRA-sim does not answer takes what it would take alone (S104). Runs that ended badly after a complete answer are counted (S108), and a
/// machine that had to be described to it differently is told (S109). An Error as of AstraSidecar::open, or of the simulation itself.
Result<SidecarOutcome> simulate_with_sidecar(const workload::Workload& workload, const machine::Machine& machine, SidecarOptions sidecar,
                                             const simulate::EngineOptions& options, Diagnostics& diagnostics);

}  // namespace orrery::job
