#include "causal/chakra/sync_path.h"

#include <algorithm>
#include <numeric>

#include "causal/chakra/device_graph.h"
#include "causal/chakra/host_graph.h"
#include "causal/chakra/step_rows.h"
#include "causal/chakra/stop.h"
#include "causal/hta/networkx_path.h"

namespace orrery::causal::chakra {
namespace {

using hta::Edge;

std::optional<std::string> find_invalid_edge(const SyncPath& path) {
  for (const Edge& edge : path.edges) {
    if (edge.weight < -kPsPerUs) return "an edge of the graph goes back in time";
    const std::int64_t stream = path.rows.stream[path.nodes.row[edge.from]];
    if (edge.type == hta::EdgeType::sync_dependency && stream != -1 && stream == path.rows.stream[path.nodes.row[edge.to]])
      return "a synchronisation joins two events of one stream";
  }
  return std::nullopt;
}

void solve(SyncPath& path) {
  path.refusal = find_invalid_edge(path);
  if (path.refusal) return;
  Column<TimePs> weights;
  for (const Edge& edge : path.edges) weights.push_back(std::max<TimePs>(edge.weight, 0));
  std::vector<hta::NodeNumber> node_order(path.nodes.size());
  std::iota(node_order.begin(), node_order.end(), 0);
  std::optional<hta::NodesAndEdges> longest = hta::networkx_longest_path(path.nodes.size(), path.edges, weights, node_order);
  if (!longest) {
    path.refusal = "the graph has a cycle";
    return;
  }
  path.path_nodes = std::move(longest->nodes);
  path.path_edges = std::move(longest->edges);
}

}  // namespace

Result<SyncPath> find_sync_path(const trace::Trace& trace, const trace::RankTrace& rank) {
  SyncPath path;
  Result<hta::Rows> rows = make_step_rows(trace, rank);
  if (!rows) return rows.error();
  path.rows = std::move(*rows);
  RankGraph graph(path.rows);
  Result<Column<hta::RowIndex>> clipped = hta::clip_rows(path.rows, {.annotation = "ProfilerStep", .data_load_events = {}});
  if (!clipped) return stop(rank.source.path, clipped.error().message);
  graph.clipped = std::move(*clipped);

  add_host_threads(graph);
  Result<std::optional<std::string>> refusal = add_device_work(graph);
  if (!refusal) return refusal.error();
  path.refusal = std::move(*refusal);
  if (path.refusal) return path;
  if (graph.nodes.size() == 0) return stop(rank.source.path, "the profiler step has no operator, call or kernel: the graph is empty");
  path.edges = graph.edges.take();
  path.nodes = std::move(graph.nodes);
  solve(path);
  return path;
}

}  // namespace orrery::causal::chakra
