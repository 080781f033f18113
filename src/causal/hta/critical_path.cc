#include "causal/hta/critical_path.h"

#include <algorithm>

#include "base/sparse_rows.h"
#include "causal/hta/edges.h"
#include "causal/hta/job_rows.h"
#include "graph/builder.h"
#include "graph/longest_path.h"

// HTA's edges in HTA's order, since ties between longest paths are broken by it: the graph is solved by the general
// solver, and only where several nodes end a longest path is networkx's topological order followed to its first
// candidate.

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
  // Several nodes may end a longest path; networkx takes the first of them in its topological order.
  if (candidates > 1)
    solution = graph::solve(*built, first_in_generations(node_count, edges, node_order, is_candidate));
  const graph::Path path = solution.path();
  NodesAndEdges result;
  result.nodes.assign(path.nodes.begin(), path.nodes.end());
  for (const graph::Slot slot : path.slots) result.edges.push_back(built->edge_id(slot));
  return result;
}

namespace {

// Sets `failure` where HTA's validation does; otherwise fills the weights of the graph.
void validate(const Rows& rows, CriticalGraph& result, bool strict) {
  const Nodes& nodes = result.window.nodes;
  result.path_weight.resize_uninitialized(result.edges.size());
  for (std::size_t i = 0; i < result.edges.size(); ++i) {
    const Edge& edge = result.edges[i];
    // Rounding starts up and ends down can make an edge of -1 us: that much HTA bears, and drops or refuses the rest.
    result.path_weight[i] = !strict && edge.weight <= -kPsPerUs ? 0 : edge.weight;
    if (strict && edge.weight < -kPsPerUs) result.failure = "an edge has a negative weight";
    const std::int64_t stream = rows.stream[nodes.row[edge.from]];
    if (edge.type == EdgeType::sync_dependency && stream != -1 && stream == rows.stream[nodes.row[edge.to]]) {
      result.failure = "a synchronisation joins two nodes of the same stream";
    }
  }
}

// Nodes are part of networkx's graph as edges bring them in.
std::vector<NodeNumber> nodes_by_first_edge(const CriticalGraph& result) {
  std::vector<NodeNumber> order;
  Column<std::uint8_t> is_known(result.window.nodes.size(), 0);
  for (const Edge& edge : result.edges) {
    for (const NodeNumber node : {edge.from, edge.to}) {
      if (is_known[node] != 0) continue;
      is_known[node] = 1;
      order.push_back(node);
    }
  }
  return order;
}

Status solve(const Rows& rows, CriticalGraph& result) {
  const std::vector<NodeNumber> node_order = nodes_by_first_edge(result);
  std::optional<NodesAndEdges> path =
      networkx_longest_path(result.window.nodes.size(), result.edges, result.path_weight, node_order);
  if (!path) {
    result.failure = "the graph has a cycle";
    return {};
  }
  result.path_nodes = std::move(path->nodes);
  result.path_edges = std::move(path->edges);
  if (result.path_nodes.size() < 2) {
    return Error{"the critical path has fewer than two nodes", rows.rank->source.path, Error::kNoOffset,
                 "HTA fails here with an assertion",           Error::Kind::unusable,  Remedy::without_compat};
  }
  return {};
}

}  // namespace

Result<CriticalPath> find_critical_path(const trace::Trace& trace, const trace::RankTrace& rank,
                                        const Options& options) {
  Result<Rows> rows = make_rows(trace, rank, options.include_last_step);
  if (!rows) return rows.error();
  Result<CriticalGraph> graph = find_critical_path(*rows, options);
  if (!graph) return graph.error();
  return CriticalPath{std::move(*graph), std::move(*rows)};
}

Result<CriticalGraph> find_critical_path(const Rows& rows, const Options& options) {
  CriticalGraph result;
  Result<Window> window = make_window(rows, options.window);
  if (!window) return window.error();
  result.window = std::move(*window);

  EdgeList edges(result.window.nodes);
  add_runtime_lock_edges(rows, result.window, edges);
  add_call_stack_edges(rows, result.window, edges);
  if (const Status added = add_device_edges(rows, result.window, options.zero_weight_launch_edges, edges); !added)
    return added.error();
  result.edges = edges.take();

  Column<std::uint8_t> has_edge(result.window.nodes.size(), 0);
  for (const Edge& edge : result.edges) has_edge[edge.from] = has_edge[edge.to] = 1;
  result.graph_nodes = static_cast<std::size_t>(std::count(has_edge.begin(), has_edge.end(), 1));
  validate(rows, result, options.strict);
  if (result.success()) {
    if (const Status solved = solve(rows, result); !solved) return solved.error();
  }
  return result;
}

}  // namespace orrery::causal::hta
