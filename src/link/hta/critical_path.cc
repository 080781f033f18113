#include "link/hta/critical_path.h"

#include <algorithm>

#include "graph/builder.h"
#include "graph/longest_path.h"
#include "link/hta/device_edges.h"
#include "link/hta/host_edges.h"

namespace orrery::link::hta {
namespace {

// Sets `failure` where HTA's validation does; otherwise fills the weights of the graph.
void validate(CriticalPath& result, bool strict) {
  const Rows& rows = result.rows;
  const Nodes& nodes = result.window.nodes;
  result.path_weight.resize_uninitialized(result.edges.size());
  for (std::size_t i = 0; i < result.edges.size(); ++i) {
    const Edge& edge = result.edges[i];
    result.path_weight[i] = !strict && edge.weight <= -kPsPerUs ? 0 : edge.weight;
    if (strict && edge.weight < -kPsPerUs) result.failure = "an edge has a negative weight";
    const std::int64_t stream = rows.stream[nodes.row[edge.from]];
    if (edge.type == EdgeType::sync_dependency && stream != -1 && stream == rows.stream[nodes.row[edge.to]]) {
      result.failure = "a synchronisation joins two nodes of the same stream";
    }
  }
}

// networkx numbers nodes as edges bring them in, and walks Kahn's algorithm by generations: initial nodes in that order, children in the
// order their edges were added. Of several longest paths HTA takes the one that ends first in this order.
NodeNumber first_in_generations(const CriticalPath& result, const std::vector<std::uint8_t>& is_candidate) {
  const std::size_t count = result.window.nodes.size();
  Column<std::uint32_t> first_edge(count + 1, 0);
  Column<std::uint32_t> missing(count, 0);
  for (const Edge& edge : result.edges) ++first_edge[edge.from + 1], ++missing[edge.to];
  for (std::size_t n = 0; n < count; ++n) first_edge[n + 1] += first_edge[n];
  Column<std::uint32_t> fill(count);
  std::copy(first_edge.begin(), first_edge.begin() + count, fill.begin());
  Column<NodeNumber> children(result.edges.size());
  for (const Edge& edge : result.edges) children[fill[edge.from]++] = edge.to;

  Column<std::uint8_t> is_known(count, 0);
  std::vector<NodeNumber> generation, next;
  for (const Edge& edge : result.edges) {
    for (const NodeNumber node : {edge.from, edge.to}) {
      if (is_known[node] != 0) continue;
      is_known[node] = 1;
      if (missing[node] == 0) generation.push_back(node);
    }
  }
  for (; !generation.empty(); generation.swap(next), next.clear()) {
    for (const NodeNumber node : generation) {
      if (is_candidate[node] != 0) return node;
    }
    for (const NodeNumber node : generation) {
      for (std::uint32_t i = first_edge[node]; i < first_edge[node + 1]; ++i) {
        if (--missing[children[i]] == 0) next.push_back(children[i]);
      }
    }
  }
  return kNoNode;
}

Status solve(CriticalPath& result) {
  const std::size_t count = result.window.nodes.size();
  graph::GraphBuilder builder;
  builder.reserve(count, result.edges.size());
  builder.add_nodes(count);
  for (std::size_t i = 0; i < result.edges.size(); ++i) {
    const Edge& edge = result.edges[i];
    builder.add_edge(edge.from, edge.to, static_cast<std::uint8_t>(edge.type), result.path_weight[i]);
  }
  const Result<graph::Graph> built = std::move(builder).build();
  if (!built) {
    result.failure = "the graph has a cycle";
    return {};
  }
  graph::Solution solution = graph::solve(*built);
  std::vector<std::uint8_t> is_candidate(count, 0);
  std::size_t candidates = 0;
  for (NodeNumber n = 0; n < count; ++n) {
    if (solution.finish(n) == solution.length()) is_candidate[n] = 1, ++candidates;
  }
  if (candidates > 1) solution = graph::solve(*built, first_in_generations(result, is_candidate));
  const graph::Path path = solution.path();
  result.path_nodes.assign(path.nodes.begin(), path.nodes.end());
  for (const graph::Slot slot : path.slots) result.path_edges.push_back(built->edge_id(slot));
  if (result.path_nodes.size() < 2) {
    return Error{"the critical path has fewer than two nodes", result.rows.rank->source.path, Error::kNoOffset,
                 "HTA fails here with an assertion; leave out --compat hta"};
  }
  return {};
}

}  // namespace

Result<CriticalPath> find_critical_path(const trace::Trace& trace, const trace::RankTrace& rank, const Options& options) {
  CriticalPath result;
  Result<Rows> rows = make_rows(trace, rank, options.include_last_step);
  if (!rows) return rows.error();
  result.rows = std::move(*rows);
  Result<Window> window = make_window(result.rows, options.window);
  if (!window) return window.error();
  result.window = std::move(*window);

  EdgeList edges(result.window.nodes);
  add_runtime_lock_edges(result.rows, result.window, edges);
  add_call_stack_edges(result.rows, result.window, edges);
  if (const Status added = add_device_edges(result.rows, result.window, options.zero_weight_launch_edges, edges); !added)
    return added.error();
  result.edges = edges.take();

  Column<std::uint8_t> has_edge(result.window.nodes.size(), 0);
  for (const Edge& edge : result.edges) has_edge[edge.from] = has_edge[edge.to] = 1;
  result.graph_nodes = static_cast<std::size_t>(std::count(has_edge.begin(), has_edge.end(), 1));
  validate(result, options.strict);
  if (result.success()) {
    if (const Status solved = solve(result); !solved) return solved.error();
  }
  return result;
}

}  // namespace orrery::link::hta
