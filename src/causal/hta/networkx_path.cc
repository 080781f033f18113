#include "causal/hta/networkx_path.h"

#include <algorithm>

#include "base/sparse_rows.h"
#include "graph/builder.h"
#include "graph/longest_path.h"

namespace orrery::causal::hta {
namespace {

// networkx walks Kahn's algorithm by generations: initial nodes in the order they came in, children in the order their
// edges were added. The first candidate in this order.
NodeNumber first_in_generations(std::size_t count, const Column<Edge>& edges, std::span<const NodeNumber> node_order,
                                const std::vector<std::uint8_t>& is_candidate) {
  Column<std::uint32_t> missing(count, 0);
  for (const Edge& edge : edges) ++missing[edge.to];
  const auto children = group_by_row<NodeNumber>(count, [&](const auto& add) {
    for (const Edge& edge : edges) add(edge.from, edge.to);
  });

  std::vector<NodeNumber> generation, next;
  for (const NodeNumber node : node_order) {
    if (missing[node] == 0) generation.push_back(node);
  }
  for (; !generation.empty(); generation.swap(next), next.clear()) {
    for (const NodeNumber node : generation) {
      if (is_candidate[node] != 0) return node;
    }
    for (const NodeNumber node : generation) {
      for (const NodeNumber child : children[node]) {
        if (--missing[child] == 0) next.push_back(child);
      }
    }
  }
  return kNoNode;
}

}  // namespace

std::optional<NodesAndEdges> networkx_longest_path(std::size_t node_count, const Column<Edge>& edges,
                                                   const Column<TimePs>& weights,
                                                   std::span<const NodeNumber> node_order) {
  graph::GraphBuilder builder;
  builder.reserve(node_count, edges.size());
  builder.add_nodes(node_count);
  for (std::size_t i = 0; i < edges.size(); ++i)
    builder.add_edge(edges[i].from, edges[i].to, static_cast<std::uint8_t>(edges[i].type), weights[i]);
  const Result<graph::Graph> built = std::move(builder).build();
  if (!built) return std::nullopt;
  graph::Solution solution = graph::solve(*built);
  std::vector<std::uint8_t> is_candidate(node_count, 0);
  std::size_t candidates = 0;
  for (NodeNumber n = 0; n < node_count; ++n) {
    if (solution.finish(n) == solution.length()) is_candidate[n] = 1, ++candidates;
  }
  if (candidates > 1)
    solution = graph::solve(*built, first_in_generations(node_count, edges, node_order, is_candidate));
  const graph::Path path = solution.path();
  NodesAndEdges result;
  result.nodes.assign(path.nodes.begin(), path.nodes.end());
  for (const graph::Slot slot : path.slots) result.edges.push_back(built->edge_id(slot));
  return result;
}

}  // namespace orrery::causal::hta
