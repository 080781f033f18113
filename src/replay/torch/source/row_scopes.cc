#include "replay/torch/source/row_scopes.h"

#include <algorithm>
#include <map>
#include <set>

namespace orrery::replay::torch {
namespace {

std::set<std::int64_t> autograd_threads(const RankSource& source) {
  std::set<std::int64_t> threads;
  for (std::uint32_t row = 0; row < source.host->size(); ++row) {
    if (source.strings->text(source.host->name[row]).starts_with("autograd::"))
      threads.insert(source.host->thread[row]);
  }
  return threads;
}

std::vector<std::uint8_t> visits_inside(const RankSource& source, const analyze::NamePattern& pattern) {
  const std::set<std::int64_t> engine = autograd_threads(source);
  std::vector<std::uint8_t> is_inside(source.order.visits.size(), 0);
  std::map<std::int64_t, int> open;  // by thread: how many ranges
  // Ranges of all threads together: autograd's threads work for a range that another thread opened.
  int all_open = 0;
  for (std::size_t v = 0; v < is_inside.size(); ++v) {
    const auto [row, is_end] = source.order.visits[v];
    const std::int64_t thread = source.host->thread[row];
    if (is_user_range(source, row) && pattern.matches(source.strings->text(source.host->name[row]))) {
      open[thread] += is_end ? -1 : 1;
      all_open += is_end ? -1 : 1;
    }
    is_inside[v] = open[thread] > 0 || (all_open > 0 && engine.count(thread) != 0);
  }
  return is_inside;
}

}  // namespace

std::vector<std::int64_t> step_numbers(const RankSource& source) {
  std::vector<std::int64_t> numbers(source.order.visits.size(), kNoStepNumber);
  std::int64_t current = kNoStepNumber;
  std::uint32_t current_row = causal::kNoRow;
  for (std::size_t v = 0; v < numbers.size(); ++v) {
    const auto [row, is_end] = source.order.visits[v];
    // Rows between two steps belong to none.
    if (is_end && row == current_row) current = kNoStepNumber, current_row = causal::kNoRow;
    if (!is_end && is_user_range(source, row)) {
      const std::string_view name = source.strings->text(source.host->name[row]);
      if (is_step_name(name)) current = analyze::number_of_step(name).value_or(kNoStepNumber), current_row = row;
    }
    numbers[v] = current;
  }
  return numbers;
}

RowScope::RowScope(const RankSource& source, const std::vector<std::int64_t>& steps, const analyze::EditScope& scope,
                   const std::optional<analyze::NamePattern>& inside)
    : source_(source), steps_(steps), wanted_(scope.steps) {
  if (inside) is_inside_ = visits_inside(source, *inside);
}

bool RowScope::contains(std::uint32_t visit) const {
  // What lies behind the last row is in no step and no range: only an edit without limits holds there.
  if (visit >= steps_.size()) return !wanted_ && is_inside_.empty();
  return (!wanted_ || (steps_[visit] != kNoStepNumber && wanted_->contains(steps_[visit]))) &&
         (is_inside_.empty() || is_inside_[visit] != 0);
}

bool RowScope::contains(const HostMoment& moment) const {
  if (moment.row != causal::kNoRow) return contains_row(moment.row);
  // A moment belongs to what came last before it.
  return contains(moment.before == 0 ? 0 : moment.before - 1);
}

}  // namespace orrery::replay::torch
