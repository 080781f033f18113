#include "causal/chakra/sync_path.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "causal/chakra/device_graph.h"
#include "causal/chakra/rank_graph.h"
#include "causal/chakra/step_rows.h"
#include "causal/chakra/stop.h"
#include "causal/hta/call_stack.h"
#include "causal/hta/name_set.h"
#include "causal/hta/networkx_path.h"

namespace orrery::causal::chakra {

// Nodes and edges of host threads: the order of calls on their stacks.

/// Threads by (process, thread); one with device work is no host thread. Operators and runtime calls become nodes,
/// other events only occupy the stack. Threads are not joined with each other.
void add_host_threads(RankGraph& graph);

namespace {

using hta::EdgeType;
using hta::kNoNode;
using hta::NodeNumber;
using hta::RowIndex;
using hta::Rows;

class ThreadWalk {
 public:
  explicit ThreadWalk(RankGraph& graph)
      : graph_(graph),
        rows_(graph.rows),
        is_blocking_(rows_.trace->strings, {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventQuery",
                                            "cudaEventSynchronize", "cudaMemcpy", "cudaMemcpyAsync"}),
        acts_(rows_.trace->strings, {"cpu_op", "cuda_runtime", "cuda_driver"}) {}

  void walk(const std::vector<RowIndex>& thread) {
    last_ = last_outermost_ = kNoNode;
    depth_ = 0;
    const auto end_of = [&](RowIndex r) {
      return rows_.ts[r] + rows_.dur[r] / kPsPerUs * kPsPerUs;
    };  // the original cuts off fractions
    hta::walk_call_stack(
        rows_, thread, end_of, [&](RowIndex r, RowIndex) { enter(r); }, [&](RowIndex r, RowIndex) { leave(r); });
  }

 private:
  // The original takes index 0 for "none".
  bool acts(RowIndex r) const {
    return rows_.index[r] > 0 && acts_(rows_.rank->categories[rows_.rank->category[rows_.event[r]]].text);
  }

  void enter(RowIndex r) {
    if (!acts(r)) return;
    const NodeNumber start = graph_.add_nodes(r);
    if (depth_ == 0 && last_outermost_ != kNoNode) graph_.edges.add(last_outermost_, start, EdgeType::dependency);
    ++depth_;
    if (last_ != kNoNode) graph_.edges.add(last_, start, EdgeType::operator_);
    last_ = start;
  }

  void leave(RowIndex r) {
    if (!acts(r)) return;
    --depth_;
    const NodeNumber end = graph_.nodes.end_of[r];
    if (last_ != kNoNode) graph_.edges.add(last_, end, EdgeType::operator_, is_blocking_(rows_.name(r)));
    last_ = depth_ == 0 ? kNoNode : end;
    if (depth_ == 0) last_outermost_ = end;
  }

  RankGraph& graph_;
  const Rows& rows_;
  hta::NameSet is_blocking_, acts_;
  NodeNumber last_ = kNoNode;
  NodeNumber last_outermost_ = kNoNode;
  int depth_ = 0;
};

}  // namespace

void add_host_threads(RankGraph& graph) {
  const auto threads = hta::rows_by_thread(graph.rows, {graph.clipped.begin(), graph.clipped.size()},
                                           [](trace::LaneKey thread) { return thread; });
  ThreadWalk walk(graph);
  for (const std::vector<RowIndex>& thread : threads) {
    const bool is_host =
        std::all_of(thread.begin(), thread.end(), [&](RowIndex r) { return graph.rows.stream[r] < 0; });
    if (is_host) walk.walk(thread);
  }
}

namespace {

using hta::Edge;

std::optional<std::string> find_invalid_edge(const SyncPath& path) {
  for (const Edge& edge : path.edges) {
    if (edge.weight < -kPsPerUs) return "an edge of the graph goes back in time";
    const std::int64_t stream = path.rows.stream[path.nodes.row[edge.from]];
    if (edge.type == hta::EdgeType::sync_dependency && stream != -1 &&
        stream == path.rows.stream[path.nodes.row[edge.to]])
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
  std::optional<hta::NodesAndEdges> longest =
      hta::networkx_longest_path(path.nodes.size(), path.edges, weights, node_order);
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
  Result<Column<hta::RowIndex>> clipped =
      hta::clip_rows(path.rows, {.annotation = "ProfilerStep", .data_load_events = {}});
  if (!clipped) return stop(rank.source.path, clipped.error().message);
  graph.clipped = std::move(*clipped);

  add_host_threads(graph);
  Result<std::optional<std::string>> refusal = add_device_work(graph);
  if (!refusal) return refusal.error();
  path.refusal = std::move(*refusal);
  if (path.refusal) return path;
  if (graph.nodes.size() == 0)
    return stop(rank.source.path, "the profiler step has no operator, call or kernel: the graph is empty");
  path.edges = graph.edges.take();
  path.nodes = std::move(graph.nodes);
  solve(path);
  return path;
}

}  // namespace orrery::causal::chakra
