#include "graph/slack.h"

#include <algorithm>
#include <utility>

#include "graph/sweep.h"

namespace orrery::graph {

Slack::Slack(Solution solution) : solution_(std::move(solution)) {
  const Graph& graph = solution_.graph();
  latest_.reserve(graph.node_count());
  latest_.assign(graph.node_count(), solution_.end_named() ? kUnlimited : solution_.length());
  if (solution_.end_named()) latest_[graph.position(solution_.end())] = solution_.length();
  sweep_backward(solution_.view(), latest_.data());
}

// The latest finish as far as successors demand that wait for the finish: growing moves only those.
TimePs Slack::latest_by_growth(Position position) const {
  const Graph& graph = solution_.graph();
  const NodeId node = graph.node_at(position);
  TimePs latest = !solution_.end_named() || node == solution_.end() ? solution_.length() : kUnlimited;
  const auto lower = [&](Slot slot, Position target) {
    if (solution_.type(slot) == graph.start_to_start_type() || solution_.weight(slot) == kRemovedWeight) return;
    if (latest_[target] == kUnlimited) return;
    latest = std::min(latest, latest_start(latest_[target], solution_.duration(graph.node_at(target))) - solution_.weight(slot));
  };
  for (const OutgoingEdge& edge : graph.outgoing_at(position)) lower(edge.slot, edge.target_position);
  for (Slot slot = graph.edge_count(); slot < solution_.slot_count(); ++slot) {
    if (solution_.source(slot) == node) lower(slot, graph.position(solution_.target(slot)));
  }
  return latest;
}

TimePs Slack::node(NodeId node) const {
  const bool has_start_to_start = solution_.view().has_start_to_start;
  const TimePs latest = has_start_to_start ? latest_by_growth(solution_.graph().position(node)) : latest_finish(node);
  return latest == kUnlimited ? kUnlimited : std::clamp(latest, -kMaxFinishPs, kMaxFinishPs) - solution_.finish(node);
}

TimePs Slack::edge_slack(Position source, Position target, TimePs target_duration, TimePs weight) const {
  if (weight == kRemovedWeight || latest_[target] == kUnlimited) return kUnlimited;
  return latest_start(latest_[target], target_duration) - std::clamp(solution_.finish_at(source) + weight, -kMaxFinishPs, kMaxFinishPs);
}

TimePs Slack::edge(Slot slot) const {
  const Graph& graph = solution_.graph();
  const NodeId target = solution_.target(slot);
  const Position source = graph.position(solution_.source(slot));
  const TimePs weight = solution_.weight(slot);
  const TimePs from_finish = weight == kRemovedWeight ? weight : solution_.view().from_finish(solution_.type(slot), source, weight);
  return edge_slack(source, graph.position(target), solution_.duration(target), from_finish);
}

Column<TimePs> Slack::edges() const {
  Column<TimePs> slacks;
  slacks.reserve(solution_.slot_count());
  slacks.assign(solution_.slot_count(), kUnlimited);  // stays so for removed edges
  const SweepView view = solution_.view();
  const TouchedNode* touched = view.overlay == nullptr ? nullptr : view.overlay->touched.data();
  for (Position p = 0; p < view.node_count; ++p) {
    const TouchedNode* here = touched != nullptr && touched->position == p ? touched++ : nullptr;
    const TimePs duration = view.duration(p, here);
    for_each_incoming(view, p, here,
                      [&](Slot slot, Position source, TimePs weight) { slacks[slot] = edge_slack(source, p, duration, weight); });
  }
  return slacks;
}

}  // namespace orrery::graph
