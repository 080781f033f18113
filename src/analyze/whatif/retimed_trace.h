// A recording at other times: every event where its moments lie once the graph of the whole recording was solved again.
// What answers from a trace then answers for the run as it would be (recording_cost.h).
#pragma once

#include <span>

#include "base/column.h"
#include "causal/causal_graph.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// `ranks`: those of the graph, in its order, on the clock that it was made with. `without`: the graph of all that they
/// recorded, at its new times; `recorded`: per node, when it was. Events of a thread or stream keep their order; device
/// work keeps its duration, but for parts of a communication that waits for other ranks; what lies between two moments
/// moves in proportion, and what lies on no thread of the graph moves with the main thread. No duration becomes
/// negative that was not. O(n log n).
void retime(std::span<trace::RankTrace> ranks, const causal::CausalGraph& without, std::span<const TimePs> recorded);

}  // namespace orrery::analyze
