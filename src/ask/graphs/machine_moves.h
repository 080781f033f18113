// What edits of a whole job come to where measured transfers do not do: on a machine, and in another order.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analyze/whatif/job_machine.h"
#include "analyze/whatif/job_moves.h"
#include "analyze/whatif/whatif.h"
#include "ask/recording.h"

namespace orrery::ask {

/// The edits, of the network and of local work, against the unedited job on the same machine. Tells `edits` how many
/// links each selects.
Result<analyze::WhatIf> answer_on_machine(analyze::GraphEdits& edits, const analyze::JobOnMachine& on, std::size_t top);

/// The same with other factors, as a sweep has them. What is given must outlive it.
analyze::FactorSweep machine_sweep(const analyze::GraphEdits& edits, const analyze::JobOnMachine& on,
                                   std::vector<double> factors);

/// `machine`: its name. `resimulated`: the length of the unedited job on it. The members resimulated_us and
/// calibration.
void tell_calibration(report::Answer& answer, const std::string& machine, const causal::CausalGraph& job,
                      const analyze::JobOnMachine& on, TimePs resimulated);

/// Reads the host traces beside the traces. None: there are none, which is said (J810).
Result<std::optional<analyze::Reorder>> load_reorder(Context& context, const RecordingRequest& recording,
                                                     const causal::CausalGraph& job, std::size_t top);
/// The member reorder.
void tell_reorder(report::Answer& answer, const causal::CausalGraph& job, const analyze::Reorder& reorder);

}  // namespace orrery::ask
