#include "causal/chakra/sync_path.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "causal/chakra/device_graph.h"
#include "causal/chakra/device_trace.h"
#include "causal/hta/call_stack.h"
#include "causal/hta/critical_path.h"
#include "causal/hta/name_set.h"
#include "causal/hta/rows.h"

// Rows of the first step as the older HTA has them, then host threads, then device work, then the longest path in
// networkx's order of ties. Where the original gives up on the path alone, `refusal` has the reason and linking goes
// on; where it stops altogether, so does this.

namespace orrery::causal::chakra {

// Events as the HTA that chakra_trace_link runs (commit d731cc2) holds them. They differ from those of causal/hta in
// which rows are the device's and in how the last step is dropped.

/// The device's: rows of a stream other than 0, and "Event Sync" and "Context Sync". With more than one profiler step
/// the last and what comes after are dropped, and the frame has the device's rows first, grouped by correlation in
/// order of first appearance. Fails where the original stops while it loads the trace.
Result<hta::Rows> make_step_rows(const trace::Trace& trace, const trace::RankTrace& rank);

namespace {

using hta::RowIndex;
using hta::Rows;

constexpr std::string_view kStep = "ProfilerStep";

Column<std::uint8_t> find_device_rows(const Rows& rows) {
  const StringId event_sync = rows.trace->strings.find("Event Sync");
  const StringId context_sync = rows.trace->strings.find("Context Sync");
  Column<std::uint8_t> is_device(rows.size());
  for (RowIndex r = 0; r < rows.size(); ++r) {
    const StringId name = rows.name(r);
    is_device[r] = rows.stream[r] > 0 || name == event_sync || name == context_sync;
  }
  return is_device;
}

// The texts that the rows use as name or category.
Column<std::uint8_t> find_used_texts(const Rows& rows) {
  Column<std::uint8_t> is_used(rows.trace->strings.size(), 0);
  for (RowIndex r = 0; r < rows.size(); ++r) {
    is_used[rows.name(r)] = 1;
    is_used[rows.rank->categories[rows.rank->category[rows.event[r]]].text] = 1;
  }
  return is_used;
}

bool is_numbered_step(std::string_view text) {
  return text.size() > kStep.size() + 1 && text[kStep.size()] == '#' && text[kStep.size() + 1] >= '0' &&
         text[kStep.size() + 1] <= '9';
}

// One mark per text: it names a profiler step.
Result<Column<std::uint8_t>> find_steps(const Rows& rows, const Column<std::uint8_t>& is_used) {
  const Interner& strings = rows.trace->strings;
  Column<std::uint8_t> is_step(strings.size(), 0);
  for (StringId id = 0; id < is_used.size(); ++id) {
    if (is_used[id] == 0) continue;
    const std::string_view text = strings.text(id);
    const std::size_t at = text.find(kStep);
    if (at == std::string_view::npos) continue;
    if (at == 0 && !is_numbered_step(text))
      return stop(rows.rank->source.path,
                  "\"" + std::string(text) + "\" begins like the name of a profiler step but has no number");
    is_step[id] = 1;
  }
  return is_step;
}

Status drop_last_step(Rows& rows, const Column<std::uint8_t>& is_device, const Column<std::uint8_t>& is_step) {
  bool found = false;
  TimePs last = 0;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] != 0 || is_step[rows.name(r)] == 0) continue;
    last = found ? std::max(last, rows.ts[r]) : rows.ts[r];
    found = true;
  }
  if (!found) return stop(rows.rank->source.path, "no profiler step is on the host");
  std::unordered_map<std::int64_t, std::uint32_t> hosts_of;  // by correlation
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] == 0 && rows.ts[r] < last) ++hosts_of[rows.correlation[r]];
  }
  std::unordered_map<std::int64_t, std::size_t> group_of;
  std::vector<std::vector<RowIndex>> groups;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] == 0) continue;
    const auto hosts = hosts_of.find(rows.correlation[r]);
    if (hosts == hosts_of.end()) continue;
    if (hosts->second > 1) {
      return stop(rows.rank->source.path, "correlation " + std::to_string(rows.correlation[r]) +
                                              " of device work is that of " + std::to_string(hosts->second) +
                                              " host events, which repeats its rows");
    }
    const auto [at, is_new] = group_of.emplace(rows.correlation[r], groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(r);
  }
  for (const auto& group : groups) {
    for (const RowIndex r : group) rows.frame.push_back(r);
  }
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] == 0 && rows.ts[r] < last) rows.frame.push_back(r);
  }
  return {};
}

}  // namespace

Result<Rows> make_step_rows(const trace::Trace& trace, const trace::RankTrace& rank) {
  Result<Rows> rows = hta::load_rows(trace, rank);
  if (!rows) return rows;
  const Column<std::uint8_t> is_used = find_used_texts(*rows);
  const auto uses = [&](std::string_view text) {
    const StringId id = trace.strings.find(text);
    return id != Interner::kMissing && is_used[id] != 0;
  };
  if (!uses("cpu_op") && !uses("cuda_runtime"))
    return stop(rank.source.path, "there is neither a cpu_op nor a cuda_runtime event");
  const Result<Column<std::uint8_t>> is_step = find_steps(*rows, is_used);
  if (!is_step) return is_step.error();
  const Column<std::uint8_t> is_device = find_device_rows(*rows);
  hta::join_on_correlation(*rows, is_device);
  hta::align_to_first_start(*rows);
  if (std::count(is_step->begin(), is_step->end(), 1) > 1) {
    if (const Status dropped = drop_last_step(*rows, is_device, *is_step); !dropped) return dropped.error();
  } else {
    for (RowIndex r = 0; r < rows->size(); ++r) rows->frame.push_back(r);
  }
  hta::index_frame(*rows);
  return rows;
}

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
  // What is valid goes back by a microsecond at most: the original counts it as 0.
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
