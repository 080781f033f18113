// What edits of a whole job come to where measured transfers do not do: on a machine, and in another order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyze/whatif/job_machine.h"
#include "analyze/whatif/job_moves.h"
#include "analyze/whatif/whatif.h"
#include "analyze/whatif/whatif_sweep.h"
#include "base/result.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

struct JobAnswer {
  analyze::WhatIf result;
  std::vector<analyze::SweepRow> points;  ///< of --sweep
};

/// The edits, of the network and of local work, against the unedited job on the same machine. Tells `edits` how many
/// links each selects.
Result<JobAnswer> answer_on_machine(analyze::GraphEdits& edits, const analyze::JobOnMachine& on, std::size_t top);

/// The same with other factors, as a sweep has them. What is given must outlive it.
analyze::FactorSweep machine_sweep(const analyze::GraphEdits& edits, const analyze::JobOnMachine& on,
                                   std::vector<double> factors);

/// Reads the host traces beside the traces. None: there are none, which is said (J810).
Result<std::optional<analyze::Reorder>> load_reorder(Invocation& invocation, const std::vector<std::string>& traces,
                                                     const causal::CausalGraph& job, std::size_t top);

}  // namespace orrery::cli
