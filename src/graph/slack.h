// How much longer each node and edge could take before the whole does.
#pragma once

#include "base/column.h"
#include "graph/longest_path.h"

namespace orrery::graph {

/// Slack with respect to the solved length, in picoseconds: what the duration of a node, or the weight of an edge, can grow by itself
/// without length() growing. A duration does not delay what only waits for its node's start. 0 for everything on the path (and on any other path as long). When the caller named the end, what does not
/// lead there has kUnlimited. Never negative unless the solution is saturated.
class Slack {
 public:
  /// One backward sweep; 8 bytes per node.
  explicit Slack(Solution solution);

  [[nodiscard]] const Solution& solution() const { return solution_; }
  /// The latest finish that does not delay the end, with the duration it has; kUnlimited when no finish does.
  [[nodiscard]] TimePs latest_finish(NodeId node) const { return latest_[solution_.graph().position(node)]; }
  /// O(1); in a graph with start-to-start edges O(outgoing edges + added edges).
  [[nodiscard]] TimePs node(NodeId node) const;
  /// O(log nodes). A removed edge has kUnlimited.
  [[nodiscard]] TimePs edge(Slot slot) const;
  /// By slot, added edges last: one pass over all edges.
  [[nodiscard]] Column<TimePs> edges() const;

 private:
  [[nodiscard]] TimePs latest_by_growth(Position position) const;
  [[nodiscard]] TimePs edge_slack(Position source, Position target, TimePs target_duration, TimePs weight) const;

  Solution solution_;
  Column<TimePs> latest_;  // by position
};

}  // namespace orrery::graph
