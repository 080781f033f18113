// One what-if after another on the same graph, each paying only for what it changes.
#pragma once

#include <memory>
#include <optional>

#include "graph/block_maxima.h"
#include "graph/longest_path.h"
#include "graph/position_set.h"

namespace orrery::graph {

/// Keeps a Solution and moves it from one set of edits to the next. Bit for bit what solve(edits, end) returns.
///
/// Few changes: the nodes they touch are evaluated again, in topological order, and whatever then finishes at another time passes that on
/// along its outgoing edges (made on first use). Many changes, or a change that spreads: a sweep from the first node affected.
/// Not for use from several threads at once.
class IncrementalSolver {
 public:
  /// Solves the graph without edits.
  explicit IncrementalSolver(Graph graph, NodeId end = kNoNode);

  /// Of the edits given last.
  [[nodiscard]] const Solution& solution() const { return *solution_; }

  /// Takes the place of all edits given before; edits both have in common cost nothing. A copy of solution() that is still in use keeps
  /// its values, at the cost of one copy of the finish column here.
  const Solution& solve(const Edits& edits);

  /// What the last solve() did.
  struct Work {
    NodeId evaluated = 0;  ///< nodes looked at one by one
    NodeId swept = 0;      ///< nodes in the sweep, 0 when there was none
  };
  [[nodiscard]] const Work& work() const { return work_; }

 private:
  void mark_differences(const Overlay* before, const Overlay* after);
  void propagate(const SweepView& view);
  void sweep(const SweepView& view, Position begin);
  void publish();

  Graph graph_;
  NodeId named_end_;
  std::shared_ptr<Column<TimePs>> finish_;
  std::shared_ptr<const Overlay> overlay_;
  BlockMaxima<1> maxima_;
  PositionSet dirty_;
  NodeId dirty_count_ = 0;
  Work work_;
  std::optional<Solution> solution_;
};

}  // namespace orrery::graph
