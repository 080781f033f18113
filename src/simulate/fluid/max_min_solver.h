// Keeps the rates of a FlowTable max-min fair while flows come and go, by filling again only what can have changed.
//
// Filling raises a common level from 0; a link that is full at level L stops its growing flows at rate L. Two facts bound the work:
//
// 1. Only from a level upwards. Below the rate of a flow that left, filling without it goes as it went with it: none of its links was full
//    before that level (it would have stopped there), and with less load none is full earlier; no other link notices. Likewise a flow that
//    came changes nothing below the level at which the first of its links becomes full when the flow grows along and the others keep their
//    rates. So all flows below the lowest such level (`floor_`) keep their rates.
// 2. Only what is connected. A flow at or above the floor can change only if a link it is on does, and a link only if one of its flows does;
//    and that spreads through links that stop flows. A link that stops none has room to spare: it is watched, and drawn in with all its
//    flows at the moment it becomes full.
//
// So a change draws in the flows at or above the floor on the links it touches, from there on through links that stop flows; these grow
// again from the floor, all others stay. Rates are found by sums over the flows of a link, not by adding up corrections: they do not drift.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/units.h"
#include "simulate/fluid/flow_table.h"

namespace orrery::simulate {

class MaxMinSolver {
 public:
  struct Work {
    std::uint64_t solves = 0;
    std::uint64_t flows = 0;  ///< rates determined, over all solves
  };

  explicit MaxMinSolver(FlowTable& table) : table_(table) {}

  void added(std::uint32_t flow) { added_.push_back(flow); }
  /// Call before the flow leaves the table.
  void removing(std::uint32_t flow);
  /// Makes all rates fair again. Bytes remaining of the flows it draws in are those at `now`.
  void solve(TimePs now);
  /// The links whose level, or whose flows' remaining bytes, the last solve determined.
  [[nodiscard]] std::span<const std::uint32_t> opened_links() const { return opened_links_; }
  [[nodiscard]] const Work& work() const { return work_; }

 private:
  using Candidate = std::pair<double, std::uint32_t>;  ///< a level below which a link is not full, and the link

  void begin_round();
  void lower_floor(std::uint32_t added);
  double level_with_added(std::uint32_t link, double enough) const;
  void open_link(std::uint32_t link);
  void sum_up(std::uint32_t link, double threshold);
  void reach(std::uint32_t flow);
  void draw_in(double threshold);
  void enqueue(std::uint32_t link, double level);
  void fill();
  void stop_flows(std::uint32_t link);

  FlowTable& table_;
  std::vector<std::uint32_t> added_;
  std::vector<std::uint32_t> touched_links_;  ///< links that stopped flows, and that a flow left
  double floor_ = FlowTable::kUnbound;
  Work work_;

  // Of the round, that is: of one solve.
  TimePs now_ = 0;
  std::uint32_t growing_ = 0;  ///< the mark of a flow that grows, and of an open link
  std::uint32_t stopped_ = 1;  ///< the mark of a flow that was stopped in this round
  double level_ = 0;
  std::vector<std::uint32_t> opened_links_;
  std::vector<std::uint32_t> unsummed_links_;
  std::vector<std::uint32_t> drawn_flows_;
  std::size_t reached_ = 0;            ///< so many of drawn_flows_ have opened their links
  std::vector<Candidate> candidates_;  ///< a heap, lowest first
  bool filling_ = false;
};

}  // namespace orrery::simulate
