// Nodes and edges of host threads: the order of calls on their stacks.
#pragma once

#include "causal/chakra/rank_graph.h"

namespace orrery::causal::chakra {

/// Threads by (process, thread); one with device work is no host thread. Operators and runtime calls become nodes, other events only occupy
/// the stack. Threads are not joined with each other.
void add_host_threads(RankGraph& graph);

}  // namespace orrery::causal::chakra
