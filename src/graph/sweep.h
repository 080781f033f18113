// The inner loops: a graph and its overlay visited in topological order, forwards pulling and backwards pushing.
// Private to src/graph.
#pragma once

#include <algorithm>

#include "base/column.h"
#include "graph/graph.h"
#include "graph/overlay.h"

namespace orrery::graph {

// The largest finish, kept by block of positions, so that a change in a few places does not mean looking at all nodes
// again. Private to src/graph.

/// For kLanes solutions side by side: finish[position * kLanes + lane].
template <std::uint32_t kLanes>
class BlockMaxima {
 public:
  static constexpr Position kBlock = 4096;

  explicit BlockMaxima(Position node_count)
      : node_count_(node_count), maxima_((std::size_t{node_count} + kBlock - 1) / kBlock * kLanes) {}

  [[nodiscard]] std::size_t block_count() const { return maxima_.size() / kLanes; }
  [[nodiscard]] Position begin_of(std::size_t block) const { return static_cast<Position>(block * kBlock); }
  [[nodiscard]] Position end_of(std::size_t block) const {
    return static_cast<Position>(std::min<std::size_t>((block + 1) * kBlock, node_count_));
  }

  void scan(std::size_t block, const TimePs* finish) {
    TimePs largest[kLanes];
    std::fill_n(largest, kLanes, INT64_MIN);
    for (std::size_t p = block * kBlock, end = end_of(block); p < end; ++p) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        largest[lane] = std::max(largest[lane], finish[p * kLanes + lane]);
    }
    std::copy_n(largest, kLanes, maxima_.data() + block * kLanes);
  }
  void scan_from(Position begin, const TimePs* finish) {
    for (std::size_t block = begin / kBlock; block < block_count(); ++block) scan(block, finish);
  }

  /// The node with the largest finish, the smallest id among equals; kNoNode without nodes.
  [[nodiscard]] NodeId end(const Graph& graph, const TimePs* finish, std::uint32_t lane = 0) const {
    TimePs length = INT64_MIN;
    for (std::size_t i = lane; i < maxima_.size(); i += kLanes) length = std::max(length, maxima_[i]);
    NodeId end = kNoNode;
    for (std::size_t block = 0; block < block_count(); ++block) {
      if (maxima_[block * kLanes + lane] != length) continue;
      for (std::size_t p = block * kBlock; p < end_of(block); ++p) {
        if (finish[p * kLanes + lane] == length) end = std::min(end, graph.node_at(static_cast<Position>(p)));
      }
      if (!graph.renumbered()) break;
    }
    return end;
  }

 private:
  Position node_count_;
  Column<TimePs> maxima_;
};

/// What a sweep reads, as bare pointers. `durations` and `types` are null when all are 0; `overlay` is null without
/// edits.
struct SweepView {
  explicit SweepView(const Graph& graph, const Overlay* overlay_or_null = nullptr);

  Position node_count;
  const Slot* rows;
  const Position* sources;
  const TimePs* weights;
  const TimePs* durations;
  const std::uint8_t* types;
  const Overlay* overlay;
  std::uint8_t start_to_start_type = 0;
  bool has_start_to_start = false;  ///< perhaps; false where a start is a finish, since no node takes time

  [[nodiscard]] const TouchedNode* find(Position p) const { return overlay == nullptr ? nullptr : overlay->find(p); }
  [[nodiscard]] TimePs duration(Position p, const TouchedNode* touched) const {
    if (touched != nullptr) return touched->duration;
    return durations == nullptr ? 0 : durations[p];
  }
  /// The weight of the edge as it counts from the finish of its source, whichever it counts from itself.
  [[nodiscard]] TimePs from_finish(Slot slot, TimePs weight) const {
    if (!has_start_to_start || types[slot] != start_to_start_type) return weight;
    // Not above what a weight may be, so that sums stay in range even where a duration is below zero.
    return std::min(weight - durations[sources[slot]], kMaxWeightPs);
  }
};

/// Calls visit(slot, source position, weight from the finish of the source) for the incoming edges of p in order.
/// `touched` is view.find(p).
template <typename Visit>
void for_each_incoming(const SweepView& view, Position p, const TouchedNode* touched, Visit&& visit) {
  const Slot end = view.rows[p + 1];
  if (touched == nullptr) {
    for (Slot slot = view.rows[p]; slot < end; ++slot)
      visit(slot, view.sources[slot], view.from_finish(slot, view.weights[slot]));
    return;
  }
  const std::span<const PatchedWeight> patches = view.overlay->patches_of(*touched);
  std::size_t next = 0;
  for (Slot slot = view.rows[p]; slot < end; ++slot) {
    const bool patched = next < patches.size() && patches[next].slot == slot;
    visit(slot, view.sources[slot], view.from_finish(slot, patched ? patches[next++].weight : view.weights[slot]));
  }
}

/// finish = duration + max(0, max over incoming of finish of the source + weight), saturated at kMaxFinishPs.
/// `finish_of(position)`.
template <typename FinishOf>
TimePs evaluate(const SweepView& view, Position p, const TouchedNode* touched, FinishOf&& finish_of) {
  TimePs best = 0;
  for_each_incoming(view, p, touched, [&](Slot, Position source, TimePs weight) {
    best = std::max<TimePs>(best, finish_of(source) + weight);
  });
  return std::min(best + view.duration(p, touched), kMaxFinishPs);
}

/// Fills `finish`, by position.
void sweep_forward(const SweepView& view, TimePs* finish);

/// `latest` holds for each position the latest finish that it may have, kUnlimited where there is no limit; afterwards
/// lowered as far as the nodes after it demand.
void sweep_backward(const SweepView& view, TimePs* latest);

/// The latest start that goes with a latest finish, in a range where taking any weight off it fits.
inline TimePs latest_start(TimePs latest_finish, TimePs duration) {
  return std::clamp(std::clamp(latest_finish, -kMaxFinishPs, kMaxFinishPs) - duration, -kMaxFinishPs, kMaxFinishPs);
}

}  // namespace orrery::graph
