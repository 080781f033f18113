// "What if": changed weights and durations laid over a Graph that itself stays untouched.
#pragma once

#include <utility>

#include "graph/graph.h"
#include "graph/time_patch.h"

namespace orrery::graph {

/// Cheap to make and to copy: memory is 16 bytes per change until an eighth of all edges (or nodes) has been changed, then 8 per edge
/// (or node), shared between copies. Times are clamped to +-kMaxWeightPs. Slots and nodes must exist: that is the caller's duty.
/// The last change of a weight or duration counts.
class Edits {
 public:
  explicit Edits(Graph graph)
      : graph_(std::move(graph)), weights_(graph_.weights(), graph_.edge_count()), durations_(graph_.durations(), graph_.node_count()) {}
  [[nodiscard]] const Graph& graph() const { return graph_; }

  void set_weight(Slot slot, TimePs weight) { weights_.set(slot, weight); }
  void set_duration(NodeId node, TimePs duration) { durations_.set(graph_.position(node), duration); }

  [[nodiscard]] bool empty() const { return weights_.empty() && durations_.empty(); }
  /// The recorded changes, by slot and by position.
  [[nodiscard]] const TimePatch& weights() const { return weights_; }
  [[nodiscard]] const TimePatch& durations() const { return durations_; }

 private:
  Graph graph_;
  TimePatch weights_;
  TimePatch durations_;
};

}  // namespace orrery::graph
