#include "graph/longest_path.h"

#include <algorithm>
#include <cassert>

#include "graph/block_maxima.h"
#include "graph/overlay.h"
#include "graph/sweep.h"

namespace orrery::graph {
namespace {

Solution solve_with(const Graph& graph, std::shared_ptr<const Overlay> overlay, NodeId end) {
  assert(end == kNoNode || end < graph.node_count());
  auto finish = std::make_shared<Column<TimePs>>(graph.node_count());
  sweep_forward(SweepView(graph, overlay.get()), 0, finish->data());
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
Solution solve(const Edits& edits, NodeId end) { return solve_with(edits.graph(), edits.empty() ? nullptr : Overlay::compile(edits), end); }

SweepView Solution::view() const { return SweepView(parts_.graph, parts_.overlay.get()); }

Slot Solution::chosen(NodeId node) const {
  const SweepView view = this->view();
  const Position p = graph().position(node);
  Slot chosen = kNoSlot;
  TimePs best = -1;  // so that 0 is taken and anything negative is not
  for_each_incoming(view, p, view.find(p), [&](Slot slot, Position source, TimePs weight) {
    const TimePs candidate = finish_at(source) + weight;
    if (candidate <= best) return;
    best = candidate;
    chosen = slot;
  });
  return chosen;
}

Path Solution::path_to(NodeId node) const {
  Path path;
  walk_back(node, [&](NodeId at, Slot slot) {
    path.nodes.push_back(at);
    if (slot != kNoSlot) path.slots.push_back(slot);
  });
  std::reverse(path.nodes.begin(), path.nodes.end());
  std::reverse(path.slots.begin(), path.slots.end());
  return path;
}

std::vector<TimePs> Solution::finishes() const {
  std::vector<TimePs> by_node(graph().node_count());
  for (Position p = 0; p < graph().node_count(); ++p) by_node[graph().node_at(p)] = finish_at(p);
  return by_node;
}

TimePs Solution::duration(NodeId node) const {
  const SweepView view = this->view();
  const Position p = graph().position(node);
  return view.duration(p, view.find(p));
}

const AddedEdge* Solution::added(Slot slot) const {
  return slot < graph().edge_count() ? nullptr : &parts_.overlay->added_by_slot[slot - graph().edge_count()];
}

TimePs Solution::weight(Slot slot) const {
  if (const AddedEdge* edge = added(slot)) return edge->weight;
  if (parts_.overlay == nullptr) return graph().weight(slot);
  const auto& patches = parts_.overlay->patches;
  const auto at = std::lower_bound(patches.begin(), patches.end(), slot, [](const PatchedWeight& patch, Slot s) { return patch.slot < s; });
  return at != patches.end() && at->slot == slot ? at->weight : view().weights[slot];
}

std::uint8_t Solution::type(Slot slot) const {
  const AddedEdge* edge = added(slot);
  return edge != nullptr ? edge->type : graph().type(slot);
}

std::uint32_t Solution::edge_tag(Slot slot) const {
  const AddedEdge* edge = added(slot);
  return edge != nullptr ? edge->tag : graph().edge_tag(slot);
}

NodeId Solution::source(Slot slot) const {
  const AddedEdge* edge = added(slot);
  return edge != nullptr ? graph().node_at(edge->source) : graph().source(slot);
}

NodeId Solution::target(Slot slot) const {
  const AddedEdge* edge = added(slot);
  return edge != nullptr ? graph().node_at(edge->target) : graph().target(slot);
}

Slot Solution::slot_count() const {
  return graph().edge_count() + (parts_.overlay == nullptr ? 0 : static_cast<Slot>(parts_.overlay->added_by_slot.size()));
}

}  // namespace orrery::graph
