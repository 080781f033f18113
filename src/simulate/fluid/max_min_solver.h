// Keeps the rates of a FlowTable max-min fair while flows come and go, by filling again only what changes.
//
// Filling raises a common level from 0; a link that is full at level L stops its growing flows at rate L. After a change the filling is
// gone through once more in the order of levels, but most of it is as before and need not be done:
//
// - A flow keeps its rate until something shows that it cannot: it is then drawn in, that is, grows from the present level on.
// - A link all of whose flows keep their rates does what it did before, and is not looked at. It is opened when a flow on it came, left or
//   was drawn in. An open link counts flows that keep their rates as used capacity.
// - An open link that becomes full draws in its flows that are faster than the level: they have to give way. Then, or later if that made
//   room, it stops all that grow on it.
// - An open link that stopped flows at level L before, and is not full at L any more, draws these in: they can go on growing.
//
// By induction over the level this is the filling of all flows: no flow below the present level is drawn in, since what would draw it in is
// an event at or below its own rate, and those are over. So the work is that of the flows whose rates change (up to ties), not of all the
// flows, nor of all those connected. Sums over flows are made anew every so often: rates do not drift, however many changes there were.
#pragma once

#include <cstddef>
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
    std::uint64_t flows = 0;  ///< drawn in, over all solves
    std::uint64_t links = 0;  ///< opened, over all solves
  };

  /// A link that became full, and stopped flows.
  struct Stop {
    std::uint32_t link;
    double least_remaining;  ///< bytes, among those flows
  };

  explicit MaxMinSolver(FlowTable& table) : table_(table) {}

  void added(std::uint32_t flow) { added_.push_back(flow); }
  /// Call before the flow leaves the table.
  void removing(std::uint32_t flow);
  /// Makes all rates fair again. Bytes remaining of the flows it draws in are those at `now`.
  void solve(TimePs now);

  /// The links that stop flows now and were open in the last solve.
  [[nodiscard]] std::span<const Stop> stops() const { return stops_; }
  /// The links that stopped flows before the last solve and were open in it; some may be in stops() again.
  [[nodiscard]] std::span<const std::uint32_t> reopened_links() const { return reopened_links_; }
  [[nodiscard]] const Work& work() const { return work_; }

 private:
  using Candidate = std::pair<double, std::uint32_t>;  ///< a level below which nothing happens at a link, and the link

  void begin_round();
  void open_link(std::uint32_t link);
  void draw_in(std::uint32_t flow);
  void reach_drawn();
  void reach(std::uint32_t flow);
  void complete(std::uint32_t link);
  void fill();
  void stop_flows(std::uint32_t link);
  [[nodiscard]] double event_level(const FlowTable::Link& link) const;
  [[nodiscard]] double level_if_others_give_way(std::uint32_t link, double level) const;

  void enqueue(std::uint32_t link, double level);
  bool look_further();
  Candidate take_first();
  [[nodiscard]] double first_level() const { return near_.empty() ? horizon_ : near_.front().first; }

  FlowTable& table_;
  std::vector<std::uint32_t> added_;
  std::vector<std::uint32_t> left_links_;  ///< links that stop flows, and that a flow left
  Work work_;

  // Of the round, that is: of one solve.
  TimePs now_ = 0;
  std::uint32_t growing_ = 0;  ///< the mark of a flow that grows, and of an open link
  std::uint32_t stopped_ = 1;  ///< the mark of a flow that was stopped in this round
  double level_ = 0;
  std::vector<std::uint32_t> reopened_links_;
  std::size_t undecided_ = 0;  ///< so many of them have neither become full nor passed their old level yet
  std::vector<std::uint32_t> drawn_flows_;
  std::size_t reached_ = 0;  ///< so many of drawn_flows_ grow on their links
  std::size_t stopped_flows_ = 0;
  std::vector<FlowTable::Entry> growing_on_link_;  ///< for each complete link together, up to an entry with kNoFlow
  std::vector<std::uint32_t> touched_links_;
  std::vector<Stop> stops_;
  std::vector<Candidate> near_;  ///< a heap, lowest first: the candidates up to the horizon
  std::vector<Candidate> far_;   ///< the others, in no order; many are out of the question before their turn comes
  double horizon_ = 0;
};

}  // namespace orrery::simulate
