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

// The latest finish as far as those demand that wait for the finish. Growing does not move the others, while latest_
// asks what happens when all of the node is later.
TimePs Slack::latest_by_growth(Position position) const {
  const Graph& graph = solution_.graph();
  const bool is_end = !solution_.end_named() || graph.node_at(position) == solution_.end();
  TimePs latest = is_end ? solution_.length() : kUnlimited;
  for (const OutgoingEdge& edge : graph.outgoing_at(position)) {
    if (graph.is_start_to_start(edge.slot) || latest_[edge.target_position] == kUnlimited) continue;
    const TimePs duration = solution_.duration(graph.node_at(edge.target_position));
    latest = std::min(latest, latest_start(latest_[edge.target_position], duration) - solution_.weight(edge.slot));
  }
  return latest;
}

TimePs Slack::node(NodeId node) const {
  const Position position = solution_.graph().position(node);
  const TimePs latest = solution_.view().has_start_to_start ? latest_by_growth(position) : latest_[position];
  return latest == kUnlimited ? kUnlimited : std::clamp(latest, -kMaxFinishPs, kMaxFinishPs) - solution_.finish(node);
}

Column<TimePs> Slack::edges() const {
  Column<TimePs> slacks;
  slacks.reserve(solution_.graph().edge_count());
  slacks.assign(solution_.graph().edge_count(), kUnlimited);  // stays so where the target does not lead to the end
  const SweepView view = solution_.view();
  const TouchedNode* touched = view.overlay == nullptr ? nullptr : view.overlay->touched.data();
  for (Position p = 0; p < view.node_count; ++p) {
    const TouchedNode* here = touched != nullptr && touched->position == p ? touched++ : nullptr;
    if (latest_[p] == kUnlimited) continue;
    const TimePs latest = latest_start(latest_[p], view.duration(p, here));
    for_each_incoming(view, p, here, [&](Slot slot, Position source, TimePs weight) {
      slacks[slot] = latest - std::clamp(solution_.finish_at(source) + weight, -kMaxFinishPs, kMaxFinishPs);
    });
  }
  return slacks;
}

}  // namespace orrery::graph
