#include "graph/longest_path.h"

#include <algorithm>
#include <cassert>

#include "graph/overlay.h"
#include "graph/sweep.h"

namespace orrery::graph {
namespace {

Solution solve_with(const Graph& graph, std::shared_ptr<const Overlay> overlay, NodeId end) {
  assert(end == kNoNode || end < graph.node_count());
  auto finish = std::make_shared<Column<TimePs>>(graph.node_count());
  sweep_forward(SweepView(graph, overlay.get()), finish->data());
  SolutionParts parts{graph, std::move(overlay), finish, 1, 0, end, end != kNoNode};
  if (!parts.end_named) {
    BlockMaxima<1> maxima(graph.node_count());
    maxima.scan_from(0, finish->data());
    parts.end = maxima.end(graph, finish->data());
  }
  return Solution(std::move(parts));
}

}  // namespace

Solution solve(const Graph& graph, NodeId end) { return solve_with(graph, nullptr, end); }
Solution solve(const Edits& edits, NodeId end) {
  return solve_with(edits.graph(), edits.empty() ? nullptr : Overlay::compile(edits), end);
}

SweepView Solution::view() const { return SweepView(parts_.graph, parts_.overlay.get()); }

Slot Solution::chosen(NodeId node) const {
  const SweepView view = this->view();
  const Position p = graph().position(node);
  Slot chosen = kNoSlot;
  TimePs best = -1;  // so that 0 is taken and anything negative is not
  for_each_incoming(view, p, view.find(p), [&](Slot slot, Position source, TimePs weight) {
    const TimePs candidate = finish_at(source) + weight;
    // Of equals the first added stays: the rule that makes paths comparable with networkx's, and independent of the
    // order of rows.
    if (candidate <= best) return;
    best = candidate;
    chosen = slot;
  });
  return chosen;
}

Path Solution::path() const {
  Path path;
  for (NodeId node = parts_.end; node != kNoNode;) {
    const Slot slot = chosen(node);
    path.nodes.push_back(node);
    if (slot != kNoSlot) path.slots.push_back(slot);
    node = slot == kNoSlot ? kNoNode : graph().source(slot);
  }
  std::reverse(path.nodes.begin(), path.nodes.end());
  std::reverse(path.slots.begin(), path.slots.end());
  return path;
}

TimePs Solution::duration(NodeId node) const {
  const SweepView view = this->view();
  const Position p = graph().position(node);
  return view.duration(p, view.find(p));
}

TimePs Solution::weight(Slot slot) const {
  if (parts_.overlay == nullptr) return graph().weight(slot);
  const auto& patches = parts_.overlay->patches;
  const auto at = std::lower_bound(patches.begin(), patches.end(), slot,
                                   [](const PatchedWeight& patch, Slot s) { return patch.slot < s; });
  return at != patches.end() && at->slot == slot ? at->weight : view().weights[slot];
}

}  // namespace orrery::graph
