// How a job on a machine, and a job in another order, read: a sentence, the tables, and the same as JSON.
#pragma once

#include <span>
#include <string>

#include "analyze/whatif/job_machine.h"
#include "analyze/whatif/job_moves.h"
#include "causal/causal_graph.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

/// `resimulated`: the length of the unedited job on the machine.
std::string calibration_text(const Invocation& invocation, const causal::CausalGraph& job,
                             const analyze::JobOnMachine& on, TimePs resimulated);
/// The members resimulated_us and calibration.
void write_calibration_json(JsonWriter& json, const causal::CausalGraph& job, const analyze::JobOnMachine& on,
                            TimePs resimulated);

std::string reorder_text(const Invocation& invocation, const causal::CausalGraph& job, const analyze::Reorder& reorder);
/// The member reorder.
void write_reorder_json(JsonWriter& json, const causal::CausalGraph& job, const analyze::Reorder& reorder);

}  // namespace orrery::cli
