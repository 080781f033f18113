// How much longer each node and edge could take before the whole does.
#pragma once

#include "base/column.h"
#include "graph/longest_path.h"

namespace orrery::graph {

/// Slack with respect to the solved length, in picoseconds: what the duration of a node, or the weight of an edge, can
/// grow by itself without length() growing. A duration does not delay what only waits for its node's start. 0 for
/// everything on the path (and on any other path as long), but for durations that it leaves by a start-to-start edge.
/// When the caller named the end, what does not lead there has kUnlimited. Never negative unless the solution is
/// saturated.
class Slack {
 public:
  /// One backward sweep; 8 bytes per node.
  explicit Slack(Solution solution);

  /// O(1); in a graph with start-to-start edges O(outgoing edges).
  [[nodiscard]] TimePs node(NodeId node) const;
  /// By slot: one pass over all edges.
  [[nodiscard]] Column<TimePs> edges() const;

 private:
  [[nodiscard]] TimePs latest_by_growth(Position position) const;

  Solution solution_;
  Column<TimePs> latest_;  // by position: the latest finish that does not delay the end, with the duration it has;
                           // kUnlimited: none does
};

}  // namespace orrery::graph
