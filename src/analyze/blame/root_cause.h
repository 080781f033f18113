// Why somebody came late: two histories compared.
//
// The culprit's: what led up to its arrival, back along what each moment waited for, across ranks. The rival's: what
// would have held the waiter next. They part at their last common moment. What both did alike since then explains
// nothing; what the culprit did more of is the cause. A delay that was handed on from rank to rank is so found where it
// arose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "causal/causal_graph.h"
#include "graph/graph.h"

namespace orrery::analyze {

/// Part of a wait, and what it is blamed on: work of a class on a rank.
struct Cause {
  std::uint32_t rank = 0;  ///< place in CausalGraph::ranks
  causal::PieceClass work;
  TimePs blame = 0;
};

/// The order of ties and of rows: by rank, kind and name, as they read.
bool comes_before(const causal::CausalGraph& job, const Cause& a, const Cause& b);

/// For one thread; what find() returns is good until the next call.
class RootCauses {
 public:
  /// `binding`: per node the edge that it waited for longest, kNoSlot where the job begins. Both must outlive it.
  RootCauses(const causal::CausalGraph& job, const Column<graph::Slot>& binding) : job_(job), binding_(binding) {}

  /// Splits `wait` by how much more time the culprit's history, which ends in `culprit`, has of each class of work in
  /// each stretch than the rival's, which ends with the edge `rival` to `rival_to`. In whole picoseconds that add up to
  /// `wait`. None if it has no more of anything.
  std::span<const Cause> find(graph::NodeId culprit, graph::Slot rival, graph::NodeId rival_to, TimePs wait);

 private:
  /// Time of a class in one stretch of a history: a run of pieces on one rank, or a transfer, or what was before the
  /// window.
  struct Piece {
    std::uint64_t work;     // kind and name
    std::uint32_t stretch;  // counted from the latest on
    std::uint32_t rank;
    TimePs time;
  };
  class History;

  void collect_until_common(graph::NodeId culprit, graph::NodeId rival, History& culprits, History& rivals) const;
  void compare(std::span<const Piece> culprits, std::span<const Piece> rivals);
  void share_out(TimePs wait);

  const causal::CausalGraph& job_;
  const Column<graph::Slot>& binding_;
  std::vector<Piece> culprit_pieces_, rival_pieces_;  // kept for their memory
  std::vector<Cause> causes_;                         // with what the culprit has more, then with their share
};

}  // namespace orrery::analyze
