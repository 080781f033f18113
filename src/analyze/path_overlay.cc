#include "analyze/path_overlay.h"

#include <algorithm>
#include <cmath>

#include "base/time_text.h"
#include "link/hta/decimal_double.h"

namespace orrery::analyze {
namespace {

using kineto::FlowEnd;
using link::EdgeKind;
using link::hta::CriticalPath;
using link::hta::EdgeType;

void mark(std::vector<std::uint8_t>& critical, std::uint32_t ordinal) {
  if (ordinal >= critical.size()) critical.resize(ordinal + 1, 0);
  critical[ordinal] = 1;
}

// Where HTA pins the end of an arrow: the raw start, or the raw end, drawn inside the event for device events; whole microseconds, after
// sums in floating point.
FlowEnd hta_end(const CriticalPath& path, link::hta::NodeNumber node, std::int64_t epoch_us) {
  const link::hta::Rows& rows = path.rows;
  const link::hta::RowIndex r = path.window.nodes.row[node];
  const trace::EventIndex e = rows.event[r];
  double time = link::hta::microseconds_as_double(epoch_us, rows.rank->start[e]);
  if (path.window.nodes.is_start[node] == 0) {
    const double duration = link::hta::microseconds_as_double(0, rows.rank->duration[e]);
    time += duration;
    const auto device = rows.rank->field(trace::Field::device).find(e);
    if (device && *device >= 0) time -= std::min(1.0, duration);
  }
  return {to_json(rows.trace->strings, rows.lane(r).process), to_json(rows.trace->strings, rows.lane(r).thread),
          std::to_string(static_cast<std::int64_t>(std::trunc(time)))};
}

// Work that a viewer shows as a box on the lane of `node`, and that the edge at `slot` is a stretch of.
template <typename StepOrJob>
bool is_box(const StepOrJob& step, graph::Slot slot, graph::NodeId node) {
  const std::uint32_t tag = step.graph.edge_tag(slot);
  if (tag == graph::kNoTag || step.owners[tag].lane != step.node_lane[node]) return false;
  return link::is_host(step.kind(slot)) || link::is_device(step.kind(slot));
}

// Where an arrow touches the lane of `node`. Viewers tie an arrow to the box around its end, and a box ends before its last moment: where
// work ends and nothing follows at once, the arrow is drawn up to a microsecond early, within the work.
template <typename StepOrJob>
TimePs drawn_time(const StepOrJob& step, graph::NodeId node) {
  const TimePs time = step.time[node];
  for (const graph::OutgoingEdge& edge : step.graph.outgoing(node)) {
    if (is_box(step, edge.slot, node)) return time;
  }
  TimePs early = 0;
  for (const graph::Slot slot : step.graph.incoming(node)) {
    if (is_box(step, slot, node)) early = std::max(early, std::min(kPsPerUs, (time - step.time[step.graph.source(slot)]) / 2));
  }
  return time - early;
}

}  // namespace

kineto::Overlay make_overlay(const CriticalPath& path, const OverlayOptions& options) {
  kineto::Overlay overlay;
  overlay.only_critical = options.only_critical;
  const trace::RankTrace& rank = *path.rows.rank;
  const std::int64_t epoch_us = (path.rows.trace->epoch_unix_ns - rank.source.base_time_ns.value_or(0)) / 1000;
  for (const link::hta::NodeNumber node : path.path_nodes) mark(overlay.critical, path.rows.index[path.window.nodes.row[node]]);
  Column<std::uint8_t> is_critical(path.edges.size(), 0);
  for (const std::uint32_t i : path.path_edges) is_critical[i] = 1;
  for (std::uint32_t i = 0; i < path.edges.size(); ++i) {
    const link::hta::Edge& edge = path.edges[i];
    const bool all = options.all_edges && !options.only_critical;
    if (all) {
      if (edge.type == EdgeType::kernel_launch_delay && edge.weight == 0) continue;
    } else {
      const bool leads_on =
          edge.type == EdgeType::dependency || edge.type == EdgeType::kernel_launch_delay || edge.type == EdgeType::sync_dependency;
      if (is_critical[i] == 0 || !leads_on) continue;
    }
    overlay.flows.push_back({hta_end(path, edge.from, epoch_us), hta_end(path, edge.to, epoch_us),
                             std::string("critical_path_") + to_string(edge.type), std::to_string(edge.weight / kPsPerUs),
                             is_critical[i] != 0});
  }
  return overlay;
}

kineto::Overlay make_overlay(const link::StepGraph& step, const StepPath& path, const OverlayOptions& options) {
  kineto::Overlay overlay;
  overlay.only_critical = options.only_critical;
  const auto end_of = [&](graph::NodeId node, TimePs time) {
    const link::LaneLabel& lane = step.lanes[step.node_lane[node]];
    return FlowEnd{std::string(step.strings.text(lane.process)), std::string(step.strings.text(lane.thread)),
                   decimal_us(Int128{step.epoch_us} * kPsPerUs + step.window.begin + time)};
  };
  const auto add = [&](graph::Slot slot, bool critical) {
    const graph::NodeId from = path.solution.graph().source(slot);
    const graph::NodeId to = path.solution.graph().target(slot);
    if (step.node_lane[from] == link::kNoWork || step.node_lane[to] == link::kNoWork) return;
    if (!options.all_edges && step.node_lane[from] == step.node_lane[to]) return;
    const TimePs start = drawn_time(step, from);
    const TimePs finish = std::max(start, drawn_time(step, to));  // an arrow that ends before it starts is not shown
    overlay.flows.push_back({end_of(from, start), end_of(to, finish), std::string("critical_path_") + identifier(step.kind(slot)),
                             decimal_us(path.solution.weight(slot)), critical});
  };
  for (const graph::Slot slot : path.path.slots) {
    const std::uint32_t tag = step.graph.edge_tag(slot);
    const EdgeKind kind = step.kind(slot);
    if (tag != graph::kNoTag && (link::is_host(kind) || link::is_device(kind) || kind == EdgeKind::sync_return))
      mark(overlay.critical, step.owners[tag].ordinal);
    add(slot, true);
  }
  if (options.all_edges) {
    std::vector<std::uint8_t> on_path(step.graph.edge_count(), 0);
    for (const graph::Slot slot : path.path.slots) on_path[slot] = 1;
    for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
      if (on_path[slot] == 0) add(slot, false);
    }
  }
  return overlay;
}

std::vector<kineto::Overlay> make_overlays(const link::JobGraph& job, const JobPath& path, const OverlayOptions& options) {
  std::vector<kineto::Overlay> overlays(job.ranks.size());
  for (kineto::Overlay& overlay : overlays) overlay.only_critical = options.only_critical;
  const auto end_of = [&](graph::NodeId node, TimePs time) {
    const link::JobRank& rank = job.ranks[job.node_rank[node]];
    const link::LaneLabel& lane = rank.lanes[job.node_lane[node]];
    return FlowEnd{std::string(job.strings.text(lane.process)), std::string(job.strings.text(lane.thread)),
                   decimal_us(Int128{rank.epoch_us} * kPsPerUs + rank.recorded.map(job.begin_ps + time))};
  };
  const graph::Path& nodes = path.sums.path;
  graph::NodeId last_on_rank = graph::kNoNode;
  std::uint64_t hops = 0;
  for (std::size_t i = 0; i < nodes.slots.size(); ++i) {
    const graph::Slot slot = nodes.slots[i];
    const graph::NodeId to = nodes.nodes[i + 1];
    if (job.node_rank[to] == link::kNoRank) continue;
    kineto::Overlay& overlay = overlays[job.node_rank[to]];
    if (const std::uint32_t tag = job.graph.edge_tag(slot); tag != graph::kNoTag && is_named(job.kind(slot)))
      mark(overlay.critical, job.owners[tag].ordinal);
    const graph::NodeId from = last_on_rank;
    last_on_rank = to;
    if (from == graph::kNoNode || job.node_lane[from] == link::kNoWork || job.node_lane[to] == link::kNoWork) continue;
    const bool is_hop = job.node_rank[from] != job.node_rank[to];
    if (!is_hop && job.node_lane[from] == job.node_lane[to]) continue;
    const TimePs start = drawn_time(job, from);
    const TimePs finish = std::max(start, drawn_time(job, to));
    kineto::Flow flow{end_of(from, start), end_of(to, finish), std::string("critical_path_") + identifier(job.kind(slot)),
                      decimal_us(path.sums.solution.weight(slot)), true};
    if (is_hop) {
      flow.shared_id = kineto::kFirstSharedFlow + hops++;
      flow.ends = kineto::FlowEnds::only_from;
      overlays[job.node_rank[from]].flows.push_back(flow);
      flow.ends = kineto::FlowEnds::only_to;
    }
    overlay.flows.push_back(std::move(flow));
  }
  return overlays;
}

}  // namespace orrery::analyze
