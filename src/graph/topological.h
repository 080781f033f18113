// Kahn's topological order over an edge list, and the cycle that stands in its way.
#pragma once

#include <span>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "base/sparse_rows.h"
#include "graph/graph.h"

namespace orrery::graph {

/// Nodes without incoming edges by id, then each node when its last incoming edge is released; successors in the order
/// of the edges. This is the order in which networkx.topological_sort lists a graph whose nodes and edges were added in
/// the same order. O(nodes + edges). Shorter than `node_count` exactly when there is a cycle. Every entry of `from` and
/// `to` must be below `node_count`.
Column<NodeId> kahn_order(NodeId node_count, std::span<const NodeId> from, std::span<const NodeId> to);
/// The same of edges that were grouped by their sources already: a row per node.
Column<NodeId> kahn_order(const SparseRows<NodeId>& successors);

/// The nodes of one cycle in edge direction, beginning with the smallest id on it; empty when `order` has every node.
std::vector<NodeId> find_cycle(NodeId node_count, std::span<const NodeId> from, std::span<const NodeId> to,
                               std::span<const NodeId> order);
/// What is wrong with a graph that has this cycle, which is not empty.
Error cycle_error(std::span<const NodeId> cycle);

}  // namespace orrery::graph
