// "What if": changes laid over a Graph that itself stays untouched.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "graph/time_patch.h"
#include "graph/window_order.h"

namespace orrery::graph {

/// An edge that only the edits know, in terms of positions.
struct AddedEdge {
  Position source;
  Position target;
  TimePs weight;
  std::uint32_t tag;
  std::uint8_t type;
};

/// Cheap to make and to copy: memory is 16 bytes per change until an eighth of all edges (or nodes) has been changed, then 8 per edge
/// (or node), shared between copies. Times are clamped to +-kMaxWeightPs. Slots and nodes must exist: that is the caller's duty.
/// Later edits apply on top of earlier ones, except that a removed edge stays removed.
class Edits {
 public:
  explicit Edits(Graph graph);
  [[nodiscard]] const Graph& graph() const { return graph_; }

  void set_weight(Slot slot, TimePs weight);
  /// Rounded half away from zero, exact below 2^53 ps; a factor that is not a number changes nothing.
  void scale_weight(Slot slot, double factor);
  /// From now on the edge constrains nothing.
  void remove_edge(Slot slot);
  void set_duration(NodeId node, TimePs duration) { durations_.set(graph_.position(node), duration); }
  void scale_duration(NodeId node, double factor) { durations_.scale(graph_.position(node), factor); }

  /// Returns the slot of the new edge: they continue where the graph's end. Among a node's incoming edges new ones come last.
  /// An edge against the graph's topological order costs a pass over the edits and over the nodes and edges between its ends; one that
  /// would close a cycle (or names an unknown node) is an Error and changes nothing. Removed edges do not count as part of a cycle.
  Result<Slot> add_edge(NodeId from, NodeId to, std::uint8_t type, TimePs weight, std::uint32_t tag = kNoTag);

  [[nodiscard]] bool empty() const { return weights_.empty() && durations_.empty() && added_.empty(); }
  /// The recorded changes, by slot and by position; slots of added edges are not among them.
  [[nodiscard]] const TimePatch& weights() const { return weights_; }
  [[nodiscard]] const TimePatch& durations() const { return durations_; }
  /// In order of addition. A removed one has the weight kRemovedWeight.
  [[nodiscard]] const std::vector<AddedEdge>& added() const { return added_; }
  [[nodiscard]] const std::vector<OrderWindow>& windows() const { return windows_; }

 private:
  /// Makes `patch` change the weight of an added edge.
  template <typename Change>
  void change_added(Slot slot, Change&& change);

  Graph graph_;
  TimePatch weights_;
  TimePatch durations_;
  std::vector<AddedEdge> added_;
  std::vector<OrderWindow> windows_;
};

}  // namespace orrery::graph
