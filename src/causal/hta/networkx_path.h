// The longest path of a graph, of several equal ones the same as networkx's dag_longest_path takes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "causal/hta/edge_list.h"

namespace orrery::causal::hta {

struct NodesAndEdges {
  std::vector<NodeNumber> nodes;
  std::vector<std::uint32_t> edges;  ///< indices into the given edges, front to back; one less than nodes
};

/// `edges` in order of insertion, `weights` one per edge and not negative but for the -1 that networkx bears with,
/// `node_order` the nodes that are part of the graph, in the order they came in. Of equal causes the first edge wins,
/// of equal ends the one that comes first when nodes are released generation by generation. Nothing: the graph has a
/// cycle.
std::optional<NodesAndEdges> networkx_longest_path(std::size_t node_count, const Column<Edge>& edges,
                                                   const Column<TimePs>& weights,
                                                   std::span<const NodeNumber> node_order);

}  // namespace orrery::causal::hta
