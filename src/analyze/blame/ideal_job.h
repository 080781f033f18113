// The job as it would be if every rank worked like a typical one.
//
// In each step the work of a class takes on every rank what it takes on the median rank; transfers and delays stay as
// measured. What remains of waiting and slowness then is nobody's in particular. Solving with all ranks ideal, with all
// but one and with one alone says what the unlikeness of the ranks costs, and whose.
//
// A class of work is (kind, name), whatever names it is blamed under; Python and unrecorded time are one class each,
// since the same time carries many names there. Classes that fewer than three ranks have are left alone: of two, no one
// is typical.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "causal/causal_graph.h"
#include "graph/edits.h"

namespace orrery::analyze {

/// Host work, kernels, copies and fills: what the ideal job scales.
bool is_work(causal::EdgeKind kind);

/// What the edges of work would weigh if their rank were typical: its total of the class in the step becomes the lower
/// median over the ranks that have the class in the window (0 of a rank that lacks it in the step). The job must
/// outlive it. 12 bytes per edge that would change.
class TypicalWork {
 public:
  explicit TypicalWork(const causal::CausalGraph& job);

  /// By place in CausalGraph::ranks: the edges that would change, and what they would weigh.
  [[nodiscard]] std::span<const graph::Slot> slots(std::uint32_t place) const { return ranks_[place].slots; }
  [[nodiscard]] std::span<const TimePs> weights(std::uint32_t place) const { return ranks_[place].weights; }

  /// Makes the rank typical.
  void apply(std::uint32_t place, graph::Edits& edits) const;
  /// Makes it what it was.
  void undo(std::uint32_t place, graph::Edits& edits) const;

 private:
  struct Changes {
    Column<graph::Slot> slots;
    Column<TimePs> weights;
  };
  std::vector<Changes> ranks_;  // by place
};

/// The ranks with `is_ideal` typical. `is_ideal`: by place in CausalGraph::ranks.
graph::Edits ideal_edits(const causal::CausalGraph& job, const std::vector<std::uint8_t>& is_ideal);
/// The same; for several questions about one job.
graph::Edits ideal_edits(const causal::CausalGraph& job, const TypicalWork& work,
                         const std::vector<std::uint8_t>& is_ideal);

/// What transfers would take at the lower median of their step, kind, number of members and size; senders and receivers
/// of messages each among their own. 12 bytes per transfer.
class TypicalTransfers {
 public:
  explicit TypicalTransfers(const causal::CausalGraph& job);

  void apply(graph::Edits& edits) const;
  /// As measured, again.
  void undo(graph::Edits& edits) const;

 private:
  Column<graph::Slot> slots_;
  Column<TimePs> weights_;
};

graph::Edits communication_ideal(const causal::CausalGraph& job);

/// How long the job takes if of all ranks only this one is typical; for each of `places`.
std::vector<TimePs> lengths_with_one_ideal(const causal::CausalGraph& job, const TypicalWork& work,
                                           std::span<const std::uint32_t> places);
/// How long it takes if all are typical but this one; for each of `places`. `ideal`, with all ranks typical, is changed
/// on the way and is the same afterwards: of a large job there is no room for several.
std::vector<TimePs> lengths_with_one_as_measured(const causal::CausalGraph& job, const TypicalWork& work,
                                                 std::span<const std::uint32_t> places, graph::Edits& ideal);

}  // namespace orrery::analyze
