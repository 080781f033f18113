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

TimePs Slack::node(NodeId node) const {
  const TimePs latest = latest_finish(node);
  return latest == kUnlimited ? kUnlimited : std::clamp(latest, -kMaxFinishPs, kMaxFinishPs) - solution_.finish(node);
}

TimePs Slack::edge_slack(Position source, Position target, TimePs target_duration, TimePs weight) const {
  if (weight == kRemovedWeight || latest_[target] == kUnlimited) return kUnlimited;
  return latest_start(latest_[target], target_duration) - std::clamp(solution_.finish_at(source) + weight, -kMaxFinishPs, kMaxFinishPs);
}

TimePs Slack::edge(Slot slot) const {
  const Graph& graph = solution_.graph();
  const NodeId target = solution_.target(slot);
  return edge_slack(graph.position(solution_.source(slot)), graph.position(target), solution_.duration(target), solution_.weight(slot));
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
