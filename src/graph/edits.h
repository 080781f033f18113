// "What if": changed weights and durations laid over a Graph that itself stays untouched.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/column.h"
#include "graph/graph.h"

namespace orrery::graph {

// Changes to a column of times that itself stays untouched.

/// Records changes in a log (16 bytes each) and turns into a full copy of the column once an eighth of it is written
/// to, so that a handful of changes costs nothing and changing everything costs no more than a copy. The last change of
/// a value counts. Values are clamped to +-kMaxWeightPs.
class TimePatch {
 public:
  /// `base` may be empty: `size` zeros. It must outlive the patch.
  TimePatch(std::span<const TimePs> base, std::size_t size) : base_(base), size_(size) {}

  void set(std::uint32_t index, TimePs value);
  /// All values, for whoever changes most of them; until the next copy or fold. The caller clamps what it writes.
  std::span<TimePs> all();

  [[nodiscard]] bool empty() const { return log_.empty() && dense_ == nullptr; }

  /// The changed values: either `dense` with all values, or pairs by ascending index.
  struct Folded {
    std::shared_ptr<const Column<TimePs>> dense;
    Column<std::uint32_t> indices;
    Column<TimePs> values;
  };
  [[nodiscard]] Folded fold() const;

 private:
  struct Change {
    std::uint32_t index;
    TimePs value;
  };

  void make_dense();
  void own_dense();

  std::span<const TimePs> base_;
  std::size_t size_;
  std::vector<Change> log_;                // empty once dense
  std::shared_ptr<Column<TimePs>> dense_;  // copied before a change when somebody else holds it too
};

/// Cheap to make and to copy: memory is 16 bytes per change until an eighth of all edges (or nodes) has been changed,
/// then 8 per edge (or node), shared between copies. Times are clamped to +-kMaxWeightPs. Slots and nodes must exist:
/// that is the caller's duty. The last change of a weight or duration counts.
class Edits {
 public:
  explicit Edits(Graph graph)
      : graph_(std::move(graph)),
        weights_(graph_.weights(), graph_.edge_count()),
        durations_(graph_.durations(), graph_.node_count()) {}
  [[nodiscard]] const Graph& graph() const { return graph_; }

  void set_weight(Slot slot, TimePs weight) { weights_.set(slot, weight); }
  /// By slot, to be changed in place: see TimePatch::all.
  std::span<TimePs> all_weights() { return weights_.all(); }
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

// Edits made part of a graph: for many what-ifs that all begin from the same many changes.

/// The graph with the weights and durations that `edits` give it. Nodes, slots and positions are those of the graph
/// behind the edits. O(nodes + edges).
Graph with_edits(const Edits& edits);

}  // namespace orrery::graph
