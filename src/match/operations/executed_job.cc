#include "match/operations/executed_job.h"

#include <algorithm>
#include <limits>

namespace orrery::match {
namespace {

// Clocks of workers differ by less: what overlaps by more with what it needs did not need it.
constexpr TimePs kClockError = 10 * kPsPerMs;
// Missing operations in a row that dependencies are followed through; behind more of them nothing is known.
constexpr std::size_t kMostMissing = 64;
constexpr std::uint32_t kStepBegin = ~std::uint32_t{0};

/// One step. Members are numbered as in ExecutedUnit.
class StepExecution {
 public:
  StepExecution(const OperationGraph& graph, std::span<const ExecutedUnit> order, std::size_t step, ExecutedJob& out)
      : graph_(graph),
        order_(order),
        width_(graph.operations.size()),
        first_(step * graph.members()),
        out_(out),
        end_(graph.members()),
        arrival_(graph.members()),
        done_(graph.members()),
        bound_by_(graph.members(), kStepBegin),
        delay_(graph.members(), 0),
        delayed_need_(graph.members(), kStepBegin),
        unit_of_(graph.members()) {
    for (std::uint32_t u = 0; u < order.size(); ++u) {
      for (const std::uint32_t member : order[u].members) unit_of_[member] = u;
    }
    for (std::uint32_t m = 0; m < end_.size(); ++m) {
      end_[m] = measured(m).end;
      if (measured(m).is_there) begin_of_step_ = std::min(begin_of_step_, measured(m).start);
    }
  }

  void run() {
    for (std::uint32_t m = 0; m < end_.size(); ++m) find_needs(m);
    cut_ends();
    execute();
    keep_binding_delays();
    execute();
    for (std::uint32_t m = 0; m < end_.size(); ++m) out_.operations[first_ + m] = {arrival_[m], done_[m]};
  }

 private:
  [[nodiscard]] const MeasuredOperation& measured(std::size_t member) const { return graph_.measured[first_ + member]; }
  /// Places of the needs within the replica become members.
  template <typename Visit>
  void for_each_need(std::uint32_t member, Visit&& visit) const {
    const auto replica = static_cast<std::uint32_t>(member / width_ * width_);
    for (const std::uint32_t needed : out_.needs_of(first_ + member)) visit(replica + needed);
  }

  void find_needs(std::uint32_t member) {
    if (measured(member).is_there) {
      const std::size_t replica = member / width_ * width_;
      const std::size_t first = out_.needs.size();
      pending_.assign(1, static_cast<std::uint32_t>(member - replica));
      for (std::size_t i = 0; i < pending_.size() && pending_.size() <= kMostMissing; ++i) {
        for (const std::uint32_t needed : graph_.operations[pending_[i]].needs) {
          if (!measured(replica + needed).is_there) pending_.push_back(needed);
          else if (is_credible(replica + needed, member)) out_.needs.push_back(needed);
          else ++out_.contradicted;
        }
      }
      const auto begin = out_.needs.begin() + static_cast<std::ptrdiff_t>(first);
      std::sort(begin, out_.needs.end());
      out_.needs.erase(std::unique(begin, out_.needs.end()), out_.needs.end());
    }
    out_.first_need.push_back(out_.needs.size());
  }

  [[nodiscard]] bool is_credible(std::size_t earlier, std::size_t later) const {
    return measured(earlier).start <= measured(later).start &&
           measured(earlier).end - measured(later).start < kClockError;
  }

  /// What others went on from had ended by then, whatever the clock that stamped its end says.
  void cut_ends() {
    for (std::uint32_t m = 0; m < end_.size(); ++m)
      for_each_need(m, [&](std::uint32_t need) { end_[need] = std::min(end_[need], measured(m).start); });
  }

  void execute() {
    for (const ExecutedUnit& unit : order_) {
      for (const std::uint32_t member : unit.members) {
        if (measured(member).is_there) find_arrival(member);
      }
      if (!unit.is_exchange) {
        const std::uint32_t member = unit.members.front();
        done_[member] = arrival_[member] + end_[member] - measured(member).start;
        continue;
      }
      sort_members(unit);
      for (const std::uint32_t member : in_order_) {
        const std::size_t last = last_awaited(member);
        const TimePs transfer = end_[member] - measured(in_order_[last]).start;
        done_[member] = std::min(end_[member], arrival_[latest_[last]] + transfer);
      }
    }
  }

  void find_arrival(std::uint32_t member) {
    TimePs& arrival = arrival_[member];
    std::uint32_t& bound_by = bound_by_[member];
    const auto come = [&](std::uint32_t need, TimePs time) {
      if (need == delayed_need_[member]) time += delay_[member];
      if (time > arrival) arrival = time, bound_by = need;
    };
    arrival = std::numeric_limits<TimePs>::min();
    come(kStepBegin, begin_of_step_);
    for_each_need(member, [&](std::uint32_t need) { come(need, done_[need]); });
  }

  /// Those of an exchange that are there by their start, and who of the first ones came last in this execution.
  void sort_members(const ExecutedUnit& unit) {
    in_order_.clear(), latest_.clear();
    for (const std::uint32_t member : unit.members) {
      if (measured(member).is_there) in_order_.push_back(member);
    }
    std::stable_sort(in_order_.begin(), in_order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return measured(a).start < measured(b).start; });
    for (const std::uint32_t member : in_order_) {
      const bool is_latest = latest_.empty() || arrival_[member] > arrival_[latest_.back()];
      latest_.push_back(is_latest ? member : latest_.back());
    }
  }

  /// Nobody waits for those who began when it had ended.
  [[nodiscard]] std::size_t last_awaited(std::uint32_t member) const {
    const auto behind = std::upper_bound(in_order_.begin(), in_order_.end(), end_[member],
                                         [&](TimePs end, std::uint32_t m) { return end < measured(m).start; });
    return static_cast<std::size_t>(behind - in_order_.begin()) - 1;  // itself at least
  }

  /// Back from what ended last, along what bound it without delays: what was measured between the end of one and the
  /// begin of the next stays.
  void keep_binding_delays() {
    std::uint32_t at = kStepBegin;
    for (std::uint32_t m = 0; m < end_.size(); ++m) {
      if (measured(m).is_there && (at == kStepBegin || end_[m] > end_[at])) at = m;
    }
    while (at != kStepBegin) {
      TimePs ready = measured(at).start;
      if (order_[unit_of_[at]].is_exchange) {
        sort_members(order_[unit_of_[at]]);
        const std::size_t last = last_awaited(at);
        ready = measured(in_order_[last]).start;
        at = latest_[last];
      }
      const std::uint32_t need = bound_by_[at];
      delayed_need_[at] = need;
      delay_[at] = ready - (need == kStepBegin ? begin_of_step_ : end_[need]);
      at = need;
    }
  }

  const OperationGraph& graph_;
  std::span<const ExecutedUnit> order_;
  std::size_t width_, first_;
  ExecutedJob& out_;
  TimePs begin_of_step_ = std::numeric_limits<TimePs>::max();
  std::vector<TimePs> end_;             // as measured, but for what was cut
  std::vector<TimePs> arrival_, done_;  // as executed
  std::vector<std::uint32_t> bound_by_;
  std::vector<TimePs> delay_;                // behind the end of delayed_need_
  std::vector<std::uint32_t> delayed_need_;  // kStepBegin also stands for the begin of the step
  std::vector<std::uint32_t> unit_of_;
  std::vector<std::uint32_t> pending_, in_order_, latest_;  // of the operation or exchange that is looked at
};

}  // namespace

ExecutedJob execute_job(const OperationGraph& graph, std::span<const ExecutedUnit> order) {
  ExecutedJob job;
  job.operations.resize(graph.measured.size());
  job.first_need.reserve(graph.measured.size() + 1);
  job.first_need.push_back(0);
  for (std::size_t step = 0; step < graph.steps.size(); ++step) StepExecution(graph, order, step, job).run();
  return job;
}

}  // namespace orrery::match
