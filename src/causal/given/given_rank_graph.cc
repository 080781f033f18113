#include "causal/given/given_rank_graph.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "base/numbers.h"
#include "base/sparse_rows.h"
#include "match/operations/operation_columns.h"

// Moments of one time are numbered as they are added, and edges lead from smaller to larger numbers: so operations are
// added in an order in which each comes behind what it needs.

namespace orrery::causal {
namespace {

using trace::EventIndex;
using trace::Field;

struct GivenOperation {
  EventIndex event = 0;
  TimePs start = 0, end = 0;
  std::int64_t step = 0;
  std::uint32_t began = 0, ended = 0;  // moments
  bool is_needed = false;              // by another of its step
};

/// Calls visit(event) for each number of "[12, 15]".
template <typename Visit>
void for_each_listed(std::string_view list, Visit&& visit) {
  for (EventIndex event = 0; !list.empty();) {
    list.remove_prefix(std::min(list.find_first_of("0123456789"), list.size()));
    if (!take_number(list, event)) return;
    visit(event);
  }
}

class GivenRankMaker {
 public:
  GivenRankMaker(const RankSource& source, const StepWindow& window)
      : source_(source), rank_(source.rank), window_(window) {}

  Result<RankGraph> make() {
    list_operations();
    find_needs();
    begin_ = moments_.add(window_.begin, kNoWork);
    for (std::size_t first = 0; first < operations_.size();) {
      std::size_t last = first;
      while (last < operations_.size() && operations_[last].step == operations_[first].step) ++last;
      add_step(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last));
      first = last;
    }
    if (!ends_.empty()) window_.end = last_end();
    const std::uint32_t end = moments_.add(window_.end, kNoWork);
    if (ends_.empty()) moments_.connect(begin_, end, EdgeKind::idle_thread, window_.span(), graph::kNoTag);
    else connect_ends(end, window_.end);
    return number_rank_graph(source_, window_, moments_, begin_, end);
  }

 private:
  /// Those that ran in the window, by step, then content.
  void list_operations() {
    const trace::SparseColumn& starts = *match::find_named(rank_, match::kExecutedStartColumn);
    trace::InOrder ends(*match::find_named(rank_, match::kExecutedEndColumn));
    trace::InOrder steps(*match::find_named(rank_, match::kOfStepColumn));
    for (std::size_t i = 0; i < starts.event.size(); ++i) {
      const EventIndex event = starts.event[i];
      const TimePs start = starts.value[i], end = std::max(start, ends.find(event, start));
      const bool is_inside = start == end ? start >= window_.begin : end > window_.begin;
      if (!is_inside || start >= window_.end) continue;
      operations_.push_back({event, std::max(start, window_.begin), std::min(end, window_.end), steps.find(event, 0)});
    }
    std::sort(operations_.begin(), operations_.end(), [&](const GivenOperation& a, const GivenOperation& b) {
      return a.step != b.step ? a.step < b.step : source_.content.before(a.event, b.event);
    });
  }

  void find_needs() {
    Column<std::uint32_t> place(rank_.event_count(), kNoWork);
    for (std::uint32_t o = 0; o < operations_.size(); ++o) place[operations_[o].event] = o;
    const trace::SparseColumn* const needs = match::find_named(rank_, match::kNeedsColumn);
    const auto for_each_need = [&](const auto& visit) {
      trace::InOrder texts(*needs);
      for (std::uint32_t o = 0; o < operations_.size(); ++o) {
        const auto text = static_cast<StringId>(texts.find(operations_[o].event, 0));
        for_each_listed(source_.trace.strings.text(text), [&](EventIndex event) {
          const std::uint32_t needed = event < place.size() ? place[event] : kNoWork;
          if (needed != kNoWork && operations_[needed].step == operations_[o].step) visit(o, needed);
        });
      }
    };
    needs_ = group_by_row<std::uint32_t>(operations_.size(), for_each_need);
    needed_by_ = group_by_row<std::uint32_t>(operations_.size(), [&](const auto& add) {
      for_each_need([&](std::uint32_t o, std::uint32_t needed) { add(needed, o); });
    });
    for (std::uint32_t o = 0; o < operations_.size(); ++o) {
      std::sort(needs_[o].begin(), needs_[o].end());  // lists follow the file's order
      operations_[o].is_needed = needed_by_.length(o) != 0;
    }
  }

  void add_step(std::uint32_t first, std::uint32_t last) {
    const TimePs begin = std::max(begin_of_step(operations_[first].step), window_.begin);
    // A moment of its own even if it is the window's: there a rank can be made to stand still.
    const std::uint32_t begun = moments_.add(begin, window_.main_lane.value_or(kNoWork));
    if (ends_.empty()) moments_.connect(begin_, begun, EdgeKind::idle_thread, begin - window_.begin, graph::kNoTag);
    else connect_ends(begun, begin);
    ends_.clear();
    std::vector<std::uint32_t> order, missing(last - first, 0);
    for (std::uint32_t o = first; o < last; ++o) {
      missing[o - first] = static_cast<std::uint32_t>(needs_.length(o));
      if (missing[o - first] == 0) order.push_back(o);
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
      add_operation(order[i], begun, begin);
      for (const std::uint32_t later : needed_by_[order[i]]) {
        if (--missing[later - first] == 0) order.push_back(later);
      }
    }
  }

  /// Where the step is marked: no operation of it began earlier.
  [[nodiscard]] TimePs begin_of_step(std::int64_t step) {
    if (step_begin_.empty()) {
      const trace::SparseColumn& steps = rank_.field(Field::step);
      for (std::size_t i = 0; i < steps.event.size(); ++i)
        step_begin_.emplace(steps.value[i], rank_.start[steps.event[i]]);
    }
    const auto at = step_begin_.find(step);
    return at == step_begin_.end() ? window_.begin : at->second;
  }

  void add_operation(std::uint32_t o, std::uint32_t begun, TimePs step_begin) {
    GivenOperation& operation = operations_[o];
    const trace::LaneIndex lane = rank_.lane[operation.event];
    // What was under way when the window began starts with it, and needs no cause.
    const bool begins_step = needs_.length(o) == 0 && operation.start <= step_begin;
    operation.began = begins_step ? begun : moments_.add(operation.start, lane);
    if (!begins_step) explain_start(o, begun, step_begin);
    operation.ended = moments_.add(operation.end, lane);
    const bool communicates = rank_.field(Field::collective_text).find(operation.event).has_value();
    moments_.connect(operation.began, operation.ended, communicates ? EdgeKind::communication : EdgeKind::cpu_operator,
                     operation.end - operation.start, operation.event);
    if (!operation.is_needed) ends_.push_back(o);
  }

  /// It waited for the last of what it needs, and then as long as nothing explains; of the others it had no need to
  /// wait.
  void explain_start(std::uint32_t o, std::uint32_t begun, TimePs step_begin) {
    const GivenOperation& operation = operations_[o];
    const auto connect = [&](std::uint32_t from, TimePs delay) {
      moments_.connect(from, operation.began, delay > 0 ? EdgeKind::idle_thread : EdgeKind::order, delay,
                       operation.event);
    };
    if (needs_.length(o) == 0) return connect(begun, operation.start - step_begin);
    std::uint32_t latest = needs_[o].front();
    for (const std::uint32_t needed : needs_[o]) {
      if (operations_[needed].end > operations_[latest].end) latest = needed;
    }
    for (const std::uint32_t needed : needs_[o])
      connect(operations_[needed].ended, needed == latest ? operation.start - operations_[needed].end : 0);
  }

  [[nodiscard]] TimePs last_end() const {
    TimePs last = window_.begin;
    for (const std::uint32_t o : ends_) last = std::max(last, operations_[o].end);
    return last;
  }

  /// From what nothing else of its step needs.
  void connect_ends(std::uint32_t to, TimePs time) {
    const TimePs pause = time - last_end();
    bool is_explained = false;
    for (const std::uint32_t o : ends_) {
      const bool is_last = !is_explained && operations_[o].end == time - pause;
      is_explained = is_explained || is_last;
      moments_.connect(operations_[o].ended, to, is_last ? EdgeKind::idle_thread : EdgeKind::order, is_last ? pause : 0,
                       graph::kNoTag);
    }
  }

  const RankSource& source_;
  const trace::RankTrace& rank_;
  StepWindow window_;
  std::vector<GivenOperation> operations_;
  SparseRows<std::uint32_t> needs_, needed_by_;  // by operation
  std::map<std::int64_t, TimePs> step_begin_;
  std::vector<std::uint32_t> ends_;  // of the step that was added last: those that no other needs
  Moments moments_;
  std::uint32_t begin_ = 0;
};

}  // namespace

bool has_given_dependencies(const trace::RankTrace& rank) {
  return match::find_named(rank, match::kNeedsColumn) != nullptr &&
         match::find_named(rank, match::kExecutedStartColumn) != nullptr &&
         match::find_named(rank, match::kExecutedEndColumn) != nullptr &&
         match::find_named(rank, match::kOfStepColumn) != nullptr;
}

Result<RankGraph> make_given_rank_graph(const RankSource& source, const StepWindow& window) {
  return GivenRankMaker(source, window).make();
}

}  // namespace orrery::causal
