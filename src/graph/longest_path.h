// The longest path: when each node can finish at the earliest, what it waited for, and the chain that made the whole
// take as long as it did.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/column.h"
#include "graph/edits.h"
#include "graph/graph.h"

namespace orrery::graph {

struct Overlay;
struct SweepView;

/// A chain of nodes from front to back; slots[i] leads from nodes[i] to nodes[i + 1].
struct Path {
  std::vector<NodeId> nodes;
  std::vector<Slot> slots;
};

/// What a Solution is made of. `finish` holds `stride` solutions side by side, by position; this one is at `lane`.
struct SolutionParts {
  Graph graph;
  std::shared_ptr<const Overlay> overlay;  ///< null without edits
  std::shared_ptr<const Column<TimePs>> finish;
  std::uint32_t stride = 1;
  std::uint32_t lane = 0;
  NodeId end = kNoNode;
  bool end_named = false;  ///< by the caller
};

/// The finish of every node of a graph, with edits laid over it or not. A value: copies share memory, and what it
/// refers to lives as long as it does.
///
/// The rule is that of networkx.dag_longest_path: a node takes the largest of finish(source) + weight over its incoming
/// edges, the first added among equals; with none, or when the largest is negative, it begins a new path at 0. Its
/// duration comes on top. The end is the node with the largest finish, the smallest id among equals, unless the caller
/// names one. Exact as long as no sum exceeds kMaxFinishPs (53 days); beyond, a finish stays at that value.
class Solution {
 public:
  explicit Solution(SolutionParts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const Graph& graph() const { return parts_.graph; }
  [[nodiscard]] TimePs length() const { return parts_.end == kNoNode ? 0 : finish(parts_.end); }
  /// kNoNode for a graph without nodes.
  [[nodiscard]] NodeId end() const { return parts_.end; }
  /// Whether the caller named the end.
  [[nodiscard]] bool end_named() const { return parts_.end_named; }

  [[nodiscard]] TimePs finish(NodeId node) const { return finish_at(parts_.graph.position(node)); }
  /// finish - duration.
  [[nodiscard]] TimePs start(NodeId node) const { return finish(node) - duration(node); }
  /// The incoming edge that the node waited for longest; kNoSlot when it begins a path. Found by looking at its
  /// incoming edges again.
  [[nodiscard]] Slot chosen(NodeId node) const;
  /// The longest path to end(). O(incoming edges of its nodes).
  [[nodiscard]] Path path() const;
  /// With the edits laid over: O(log edits) each.
  [[nodiscard]] TimePs duration(NodeId node) const;
  [[nodiscard]] TimePs weight(Slot slot) const;

  [[nodiscard]] TimePs finish_at(Position position) const {
    return (*parts_.finish)[std::size_t{position} * parts_.stride + parts_.lane];
  }
  [[nodiscard]] SweepView view() const;

 private:
  SolutionParts parts_;
};

/// One sweep over all nodes and edges. `end` must be a node of the graph, or kNoNode for the rule above.
Solution solve(const Graph& graph, NodeId end = kNoNode);
Solution solve(const Edits& edits, NodeId end = kNoNode);

}  // namespace orrery::graph
