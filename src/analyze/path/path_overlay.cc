#include "analyze/path/path_overlay.h"

#include <algorithm>
#include <cmath>

#include "base/time_text.h"
#include "causal/hta/rows.h"

// Two drawings. Of HTA's path every edge is an arrow where HTA would draw it, in whole microseconds. Of a causal graph
// the events on the path are marked and the path is drawn where it changes lanes; an arrow from rank to rank has an id
// that the files of both share.

namespace orrery::analyze {
namespace {

using causal::EdgeKind;
using causal::hta::CriticalPath;
using causal::hta::EdgeType;
using kineto::FlowEnd;

void mark(std::vector<std::uint8_t>& critical, std::uint32_t ordinal) {
  if (ordinal >= critical.size()) critical.resize(ordinal + 1, 0);
  critical[ordinal] = 1;
}

// Where HTA pins the end of an arrow: the raw start, or the raw end, drawn inside the event for device events; whole
// microseconds, after sums in floating point.
FlowEnd hta_end(const CriticalPath& path, causal::hta::NodeNumber node, std::int64_t epoch_us) {
  const causal::hta::Rows& rows = path.rows;
  const causal::hta::RowIndex r = path.window.nodes.row[node];
  const trace::EventIndex e = rows.event[r];
  double time = causal::hta::microseconds_as_double(epoch_us, rows.rank->start[e]);
  if (path.window.nodes.is_start[node] == 0) {
    const double duration = causal::hta::microseconds_as_double(0, rows.rank->duration[e]);
    // Added as HTA adds them, in floating point, so that the last digit is the same.
    time += duration;
    const auto device = rows.rank->field(trace::Field::device).find(e);
    // Up to a microsecond before the end, so that the arrow's end lies inside the event.
    if (device && *device >= 0) time -= std::min(1.0, duration);
  }
  return {to_json(rows.trace->strings, rows.lane(r).process), to_json(rows.trace->strings, rows.lane(r).thread),
          std::to_string(static_cast<std::int64_t>(std::trunc(time)))};
}

// Work that a viewer shows as a box on the lane of `node`, and that the edge at `slot` is a stretch of.
bool is_box(const causal::CausalGraph& job, graph::Slot slot, graph::NodeId node) {
  const std::uint32_t tag = job.graph.edge_tag(slot);
  if (tag == graph::kNoTag || job.owners[tag].lane != job.node_lane[node]) return false;
  return causal::is_host(job.kind(slot)) || causal::is_device(job.kind(slot));
}

// Where an arrow touches the lane of `node`. Viewers tie an arrow to the box around its end, and a box ends before its
// last moment: where work ends and nothing follows at once, the arrow is drawn up to a microsecond early, within the
// work.
TimePs drawn_time(const causal::CausalGraph& job, graph::NodeId node) {
  const TimePs time = job.time[node];
  for (const graph::OutgoingEdge& edge : job.graph.outgoing(node)) {
    if (is_box(job, edge.slot, node)) return time;
  }
  TimePs early = 0;
  for (const graph::Slot slot : job.graph.incoming(node)) {
    if (is_box(job, slot, node))
      early = std::max(early, std::min(kPsPerUs, (time - job.time[job.graph.source(slot)]) / 2));
  }
  return time - early;
}

/// The overlays of all ranks, as they are drawn.
class Drawing {
 public:
  Drawing(const causal::CausalGraph& job, const PathSums& path, const OverlayOptions& options)
      : job_(job), path_(path), options_(options), overlays_(job.ranks.size()) {
    for (kineto::Overlay& overlay : overlays_) overlay.only_critical = options.only_critical;
  }

  std::vector<kineto::Overlay> draw() {
    const graph::Path& nodes = path_.path;
    graph::NodeId from = graph::kNoNode;  // the last moment of a rank
    for (std::size_t i = 0; i < nodes.slots.size(); ++i) {
      const graph::NodeId to = nodes.nodes[i + 1];
      if (job_.node_rank[to] == causal::kNoRank) continue;
      mark_owner(nodes.slots[i], overlays_[job_.node_rank[to]]);
      // What stands between two ranks is on no lane: the arrow goes over it.
      const graph::NodeId start = i == 0 && job_.node_rank[nodes.nodes[0]] != causal::kNoRank ? nodes.nodes[0] : from;
      if (start != graph::kNoNode) add(nodes.slots[i], start, to, true);
      from = to;
    }
    if (options_.all_edges) add_others();
    return std::move(overlays_);
  }

 private:
  void mark_owner(graph::Slot slot, kineto::Overlay& overlay) const {
    const std::uint32_t tag = job_.graph.edge_tag(slot);
    if (tag != graph::kNoTag && causal::is_named(job_.kind(slot))) mark(overlay.critical, job_.owners[tag].ordinal);
  }

  void add_others() {
    std::vector<std::uint8_t> on_path(job_.graph.edge_count(), 0);
    for (const graph::Slot slot : path_.path.slots) on_path[slot] = 1;
    for (graph::Slot slot = 0; slot < job_.graph.edge_count(); ++slot) {
      const graph::NodeId from = job_.graph.source(slot), to = job_.graph.target(slot);
      if (on_path[slot] == 0 && job_.node_rank[from] == job_.node_rank[to]) add(slot, from, to, false);
    }
  }

  void add(graph::Slot slot, graph::NodeId from, graph::NodeId to, bool critical) {
    if (job_.node_lane[from] == causal::kNoWork || job_.node_lane[to] == causal::kNoWork) return;
    const std::uint32_t rank = job_.node_rank[to];
    const bool is_hop = job_.node_rank[from] != rank;
    if (!is_hop && !options_.all_edges && job_.node_lane[from] == job_.node_lane[to]) return;
    const TimePs start = drawn_time(job_, from);
    const TimePs finish = std::max(start, drawn_time(job_, to));  // an arrow that ends before it starts is not shown
    kineto::Flow flow{end_of(from, start), end_of(to, finish),
                      std::string("critical_path_") + identifier(job_.kind(slot)),
                      decimal_us(path_.solution.weight(slot)), critical};
    if (is_hop) {
      flow.shared_id = kineto::kFirstSharedFlow + hops_++;
      flow.ends = kineto::FlowEnds::only_from;
      overlays_[job_.node_rank[from]].flows.push_back(flow);
      flow.ends = kineto::FlowEnds::only_to;
    }
    overlays_[rank].flows.push_back(std::move(flow));
  }

  [[nodiscard]] FlowEnd end_of(graph::NodeId node, TimePs time) const {
    const causal::JobRank& rank = job_.ranks[job_.node_rank[node]];
    const causal::LaneLabel& lane = rank.lanes[job_.node_lane[node]];
    return {std::string(job_.strings.text(lane.process)), std::string(job_.strings.text(lane.thread)),
            decimal_us(Int128{rank.epoch_us} * kPsPerUs + rank.recorded.map(job_.begin_ps + time))};
  }

  const causal::CausalGraph& job_;
  const PathSums& path_;
  const OverlayOptions& options_;
  std::vector<kineto::Overlay> overlays_;
  std::uint64_t hops_ = 0;
};

}  // namespace

kineto::Overlay make_overlay(const CriticalPath& path, const OverlayOptions& options) {
  kineto::Overlay overlay;
  overlay.only_critical = options.only_critical;
  const trace::RankTrace& rank = *path.rows.rank;
  const std::int64_t epoch_us = (path.rows.trace->epoch_unix_ns - rank.source.base_time_ns.value_or(0)) / 1000;
  for (const causal::hta::NodeNumber node : path.path_nodes)
    mark(overlay.critical, path.rows.index[path.window.nodes.row[node]]);
  Column<std::uint8_t> is_critical(path.edges.size(), 0);
  for (const std::uint32_t i : path.path_edges) is_critical[i] = 1;
  for (std::uint32_t i = 0; i < path.edges.size(); ++i) {
    const causal::hta::Edge& edge = path.edges[i];
    const bool all = options.all_edges && !options.only_critical;
    if (all) {
      if (edge.type == EdgeType::kernel_launch_delay && edge.weight == 0) continue;
    } else {
      const bool leads_on = edge.type == EdgeType::dependency || edge.type == EdgeType::kernel_launch_delay ||
                            edge.type == EdgeType::sync_dependency;
      if (is_critical[i] == 0 || !leads_on) continue;
    }
    overlay.flows.push_back({hta_end(path, edge.from, epoch_us), hta_end(path, edge.to, epoch_us),
                             std::string("critical_path_") + to_string(edge.type),
                             std::to_string(edge.weight / kPsPerUs), is_critical[i] != 0});
  }
  return overlay;
}

std::vector<kineto::Overlay> make_overlays(const causal::CausalGraph& job, const PathSums& path,
                                           const OverlayOptions& options) {
  return Drawing(job, path, options).draw();
}

}  // namespace orrery::analyze
