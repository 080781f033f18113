// Keeps the rates of a FlowTable max-min fair while flows come and go, by solving again only what changes.
//
// The problem. Flow i is a variable x_i >= 0, its rate; link l a constraint, the sum over i of w_li x_i <= C_l. Rates
// are max-min fair when no x_i can be raised without lowering an x_j <= x_i. That is so exactly if every flow has a
// bottleneck: a saturated link (its sum is C_l) on which no flow is faster. There is one such solution (Bertsekas and
// Gallager, "Data Networks", 6.5.2).
//
// Progressive filling finds it. A common level rises from 0 and all flows grow with it; a link that becomes saturated
// at level L freezes the flows that grow on it at rate L: it is their bottleneck, and L is the level of the link.
//
// After a change the same filling is gone through in the order of levels, but a flow is only looked at when it must be.
// Links are opened when what they carry changes, and the flows frozen at a link (FrozenFlows) stay together:
//
// - kept: they count at their old rate, as if the filling had frozen them already. At which level something happens at
// an open link follows
//   from its sum: with the flows frozen here at a common rate r, and the growing ones too, it is saturated at r = (C -
//   other kept) / (their weight).
// - If that r is below the old level, r is the new level: all that grow on the link are frozen there, and its frozen
// flows move to r. Kept
//   flows of other bottlenecks that are faster than r would be faster than their share here: they are thawed one by one
//   first.
// - If it is above, the frozen flows can go on growing past their old level: they are thawed together, and frozen again
// at the link that is
//   saturated first. Where a look at the links that they cross shows that this is their old one, they move there at
//   once.
//
// Why this is exact. Invariant: when the level is L, every flow that is done, or kept with a rate up to L, has the rate
// that the filling of all flows gives it; all others grow or are kept with a rate above L, which is at least their rate
// in the solution so far (L). An event at L is caused by flows with rates up to L and by kept ones above it; the former
// are right, and before the latter could make a link saturated at L they are thawed, since they are faster than L. A
// link that is not opened carries what it carried, and does what it did. What is opened later is opened by a change at
// the present level or above, so nothing below has to be taken back. At the end every flow is frozen at a link that is
// saturated, and on which none is faster.
//
// The work is that of the links crossed by the flows whose rates change, not of these flows: a flow is visited when its
// bottleneck changes. Sums are made anew every so often: rates do not drift, however many changes there were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"
#include "simulate/fluid/flow_table.h"
#include "simulate/fluid/frozen_flows.h"

namespace orrery::simulate {

class MaxMinSolver {
 public:
  struct Work {
    std::uint64_t solves = 0;
    std::uint64_t flows = 0;  ///< whose rates were determined anew, over all solves
    std::uint64_t links = 0;  ///< opened, over all solves
  };

  explicit MaxMinSolver(FlowTable& table) : table_(table), frozen_(table) {}

  void added(std::uint32_t flow) { added_.push_back(flow); }
  /// A flow that has been on the links of its route since `since`, and nobody else: they are as the solve at that
  /// moment would have left them. `rate` is that of the link, its bottleneck, with this flow alone.
  void added_frozen(std::uint32_t flow, std::uint32_t link, double rate, TimePs since);
  /// Call before the flow leaves the table.
  void removing(std::uint32_t flow);
  /// Makes all rates fair again, from `now` on.
  void solve(TimePs now);

  /// The links that froze flows in the last solve, some perhaps twice.
  [[nodiscard]] std::span<const std::uint32_t> frozen_links() const { return frozen_links_; }
  /// The links that had frozen flows before the last solve and were open in it; most are in frozen_links() again.
  [[nodiscard]] std::span<const std::uint32_t> reopened_links() const { return reopened_links_; }
  FrozenFlows& frozen() { return frozen_; }
  [[nodiscard]] const FrozenFlows& frozen() const { return frozen_; }
  [[nodiscard]] const Work& work() const { return work_; }

 private:
  using Candidate = std::pair<double, std::uint32_t>;  ///< a level below which nothing happens at a link, and the link
  /// Of candidates, as > of pairs, which asks three times: levels are always numbers, and mostly differ.
  struct Later {
    bool operator()(const Candidate& a, const Candidate& b) const {
      return a.first > b.first || (a.first == b.first && a.second > b.second);
    }
  };

  void begin_round();
  void open_link(std::uint32_t link);
  FlowTable::Link& touch(std::uint32_t link);
  void change_used(const FrozenFlows::Crossing& crossing, double change, float fastest);
  void queue_touched();
  void fill();
  bool drop_settled();
  void saturate(std::uint32_t link);
  bool thaw_faster(std::uint32_t link);
  void thaw_flow(std::uint32_t flow);
  void thaw_frozen(std::uint32_t link);
  bool raise_frozen(std::uint32_t link, double level);
  void move_frozen(std::uint32_t link, double level);
  void freeze(std::uint32_t link);
  void freeze_others(std::uint32_t link);
  void forget_if_empty(std::uint32_t link);
  [[nodiscard]] bool keeps(const FlowTable::Link& link) const;
  [[nodiscard]] double saturation_level(const FlowTable::Link& link) const;
  [[nodiscard]] double event_level(const FlowTable::Link& link) const;
  [[nodiscard]] double level_if_faster_are_thawed(std::uint32_t link, double level) const;
  [[nodiscard]] bool is_saturated_before(const FlowTable::Link& link, double level) const;
  void enqueue(std::uint32_t link, double level);
  [[nodiscard]] double first_level() const { return queue_.empty() ? FlowTable::kUnbound : queue_.front().first; }

  FlowTable& table_;
  FrozenFlows frozen_;
  std::vector<std::uint32_t> added_;
  std::vector<std::uint32_t> left_links_;  ///< links with frozen flows, which a flow left
  Work work_;

  // Of one solve.
  TimePs now_ = 0;
  std::uint16_t round_ = 0;  ///< the mark of an open link
  double level_ = 0;
  std::vector<std::uint32_t> reopened_links_, frozen_links_, touched_links_;
  std::vector<std::uint8_t> is_touched_;  ///< by link: what it carries changed since it was last queued
  std::size_t kept_open_ = 0;             ///< open links whose frozen flows are kept so far
  std::size_t thawed_links_ = 0;          ///< links whose frozen flows grow
  std::size_t growing_flows_ = 0;         ///< flows that grow one by one: frozen nowhere
  std::vector<std::uint32_t> joining_;
  std::vector<Candidate> queue_;  ///< a heap, lowest first
};

}  // namespace orrery::simulate
