// What every answer about a whole job begins with: which ranks, steps and clocks it rests on, as a sentence and as
// JSON.
#pragma once

#include <string>

#include "base/json/json_writer.h"
#include "causal/causal_graph.h"

namespace orrery::cli {

/// The member "job". `replayed`: the length of the job solved from its edges.
void write_job_json(JsonWriter& json, const causal::CausalGraph& job, TimePs replayed);

/// What is not whole, or how it was measured: "Clocks: ...; replay residual ...". One line.
std::string job_trust_line(const causal::CausalGraph& job, TimePs replayed);

/// `about_steps`: a sentence on how the steps of the job differ, or nothing.
}  // namespace orrery::cli
