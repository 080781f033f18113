// Where the main threads of a job stand when its steps begin.
#pragma once

#include <vector>

#include "causal/causal_graph.h"
#include "graph/types.h"

namespace orrery::analyze {

/// By rank and step of the job: the piece of the rank's main thread that begins or runs when the step begins. If the
/// thread begins the step with a communication, the work that ends just then: being late is arriving late. If with a
/// call of the runtime, what follows it: the call hands its work over in time. kNoSlot if nothing is recorded there.
/// One pass over all moments.
std::vector<std::vector<graph::Slot>> pieces_at_step_begins(const causal::CausalGraph& job);

}  // namespace orrery::analyze
