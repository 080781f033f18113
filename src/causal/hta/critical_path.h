// HTA's critical path of one rank: the graph, its validation, and the longest path in networkx's order of ties.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "causal/hta/edge_list.h"

namespace orrery::causal::hta {

// The longest path of a graph, of several equal ones the same as networkx's dag_longest_path takes.

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

struct Options {
  WindowOptions window;
  bool zero_weight_launch_edges = false;
  bool strict = false;  ///< refuse weights below -1 us instead of taking them as 0
  bool include_last_step = false;
};

/// Rows are told by their place in the Rows that it was made of.
struct CriticalGraph {
  Window window;
  Column<Edge> edges;           ///< in order of insertion
  Column<TimePs> path_weight;   ///< per edge: the weight used for the longest path, where negative ones are taken as 0
  std::size_t graph_nodes = 0;  ///< nodes that have an edge; the others are not part of HTA's graph
  std::optional<std::string> failure;  ///< HTA would return (graph, False): why
  std::vector<NodeNumber> path_nodes;
  std::vector<std::uint32_t> path_edges;  ///< indices into `edges`, front to back

  [[nodiscard]] bool success() const { return !failure.has_value(); }
};

struct CriticalPath : CriticalGraph {
  Rows rows;
};

/// Of the rows of a rank, as the filter of its job left them. Fails where HTA returns None or raises.
Result<CriticalGraph> find_critical_path(const Rows& rows, const Options& options);
/// Of a rank alone.
Result<CriticalPath> find_critical_path(const trace::Trace& trace, const trace::RankTrace& rank,
                                        const Options& options);

}  // namespace orrery::causal::hta
