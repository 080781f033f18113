#include "graph/edits.h"

#include <string>
#include <utility>

namespace orrery::graph {

Edits::Edits(Graph graph)
    : graph_(std::move(graph)), weights_(graph_.weights(), graph_.edge_count()), durations_(graph_.durations(), graph_.node_count()) {}

template <typename Change>
void Edits::change_added(Slot slot, Change&& change) {
  TimePs& weight = added_[slot - graph_.edge_count()].weight;
  TimePatch patch(std::span<const TimePs>(&weight, 1), 1);
  change(patch);
  if (!patch.empty()) weight = patch.fold().values[0];
}

void Edits::set_weight(Slot slot, TimePs weight) {
  if (slot < graph_.edge_count()) weights_.set(slot, weight);
  else change_added(slot, [&](TimePatch& patch) { patch.set(0, weight); });
}

void Edits::scale_weight(Slot slot, double factor) {
  if (slot < graph_.edge_count()) weights_.scale(slot, factor);
  else change_added(slot, [&](TimePatch& patch) { patch.scale(0, factor); });
}

void Edits::remove_edge(Slot slot) {
  if (slot < graph_.edge_count()) weights_.remove(slot);
  else added_[slot - graph_.edge_count()].weight = kRemovedWeight;
}

Result<Slot> Edits::add_edge(NodeId from, NodeId to, std::uint8_t type, TimePs weight, std::uint32_t tag) {
  const auto refuse = [&](const char* why, const char* hint = "") {
    return Error{"the edge " + std::to_string(from) + " -> " + std::to_string(to) + why, {}, Error::kNoOffset, hint};
  };
  if (from >= graph_.node_count() || to >= graph_.node_count()) return refuse(" names a node that does not exist");
  if (from == to) return refuse(" leads back to its own node");
  if (added_.size() >= kNoSlot - graph_.edge_count() - 1) return Error{"the graph has more than 2^32 - 2 edges"};
  const Slot slot = graph_.edge_count() + static_cast<Slot>(added_.size());
  added_.push_back({graph_.position(from), graph_.position(to), 0, tag, type});
  set_weight(slot, weight);
  if (windows_.empty() && added_.back().source < added_.back().target) return slot;

  Column<Slot> removed;
  const TimePatch::Folded folded = weights_.fold();
  for (std::size_t i = 0; i < folded.indices.size(); ++i) {
    if (folded.values[i] == kRemovedWeight) removed.push_back(folded.indices[i]);
  }
  for (Slot at = 0; folded.dense != nullptr && at < graph_.edge_count(); ++at) {
    if ((*folded.dense)[at] == kRemovedWeight) removed.push_back(at);
  }
  auto windows = widen_windows(graph_, windows_, added_, removed);
  if (!windows) {
    added_.pop_back();
    return refuse(" would close a cycle", "remove an edge of the way back first");
  }
  windows_ = std::move(*windows);
  return slot;
}

}  // namespace orrery::graph
