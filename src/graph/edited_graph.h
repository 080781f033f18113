// Edits made part of a graph: for many what-ifs that all begin from the same many changes.
#pragma once

#include "graph/edits.h"
#include "graph/graph.h"

namespace orrery::graph {

/// The graph with the weights and durations that `edits` give it. Nodes, slots and positions are those of the graph
/// behind the edits. O(nodes + edges).
Graph with_edits(const Edits& edits);

}  // namespace orrery::graph
