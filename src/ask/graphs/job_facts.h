// What every answer about a whole job begins with: which ranks, steps and clocks it rests on, as a sentence and as
// facts.
#pragma once

#include <string>

#include "causal/causal_graph.h"
#include "report/facts.h"

namespace orrery::ask {

/// The member "job". `replayed`: the length of the job solved from its edges.
void tell_job(report::Facts& facts, const causal::CausalGraph& job, TimePs replayed);

/// What is not whole, or how it was measured: "Clocks: ...; replay residual ...". One line.
std::string job_trust_line(const causal::CausalGraph& job, TimePs replayed);

}  // namespace orrery::ask
