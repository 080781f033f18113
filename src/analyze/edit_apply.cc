// Applying what-if edits to the graph of one rank.
#include <algorithm>

#include "analyze/edit_language.h"
#include "analyze/edit_selector.h"
#include "analyze/profiler_cost.h"

namespace orrery::analyze {
namespace {

/// Ranges of the steps that a scope names: annotations that are called like the window but for the number, "ProfilerStep#" or "train ".
std::vector<link::AnnotatedRange> ranges_of_steps(const link::StepGraph& step, const NumberSet& steps) {
  const auto without_number = [](std::string_view name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); };
  // "ProfilerStep#1 to ProfilerStep#8" is a window, too.
  const std::string_view label = step.window.label;
  const std::string_view stem = without_number(label.substr(0, label.find(" to ")));
  std::vector<link::AnnotatedRange> ranges;
  for (const link::AnnotatedRange& range : step.annotations) {
    const std::string_view name = step.strings.text(range.name);
    const std::optional<std::int64_t> number = number_of_step(name);
    if (number && steps.contains(*number) &&
        (step.window.is_whole_trace ? name.starts_with("ProfilerStep#") : without_number(name) == stem))
      ranges.push_back(range);
  }
  return ranges;
}

/// What the scope of a rule leaves of one rank's edges.
class ScopeOfRank {
 public:
  ScopeOfRank(const link::StepGraph& step, const EditScope& scope) : step_(step), limited_(scope.steps.has_value()) {
    holds_ = !scope.ranks || scope.ranks->contains(step.rank);
    if (limited_) ranges_ = ranges_of_steps(step, *scope.steps);
  }

  [[nodiscard]] bool holds() const { return holds_; }
  [[nodiscard]] bool selects(graph::Slot slot) const {
    if (!limited_) return true;
    const std::uint32_t tag = step_.graph.edge_tag(slot);
    // Whatever thread does it, it belongs to the step in which it was launched or, without an event, in which it begins.
    const TimePs at = tag == graph::kNoTag ? step_.time[step_.graph.source(slot)] : step_.owners[tag].launch_start;
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const link::AnnotatedRange& range) { return range.begin <= at && at < range.end; });
  }

 private:
  const link::StepGraph& step_;
  bool holds_ = true;
  bool limited_;
  std::vector<link::AnnotatedRange> ranges_;
};

}  // namespace

std::vector<std::uint64_t> apply(const link::StepGraph& step, const std::vector<EditRule>& rules, graph::Edits& edits,
                                 std::optional<double> factor) {
  const EditedGraph graph(step);
  std::vector<std::uint64_t> counts;
  Column<TimePs> weights(step.graph.edge_count());
  std::copy(step.graph.weights().begin(), step.graph.weights().end(), weights.begin());
  for (const EditRule& rule : rules) {
    if (rule.removes_profiler) {
      const std::vector<RecordedEvents::Saving> savings = RecordedEvents(step).savings(step.graph, rule.amount);
      for (const auto& [slot, time] : savings) edits.set_weight(slot, weights[slot] = std::max<TimePs>(weights[slot] - time, 0));
      counts.push_back(savings.size());
      continue;
    }
    const EditSelector selector(graph, rule);
    const ScopeOfRank scope(step, rule.scope);
    std::uint64_t count = 0;
    for (graph::Slot slot = 0; slot < step.graph.edge_count() && scope.holds(); ++slot) {
      if (!selector.selects(slot, 0) || !scope.selects(slot)) continue;
      ++count;
      const TimePs weight = rule.changed(weights[slot], factor);
      if (weight == weights[slot]) continue;  // counted as selected, but no reason to solve anything again
      weights[slot] = weight;
      edits.set_weight(slot, weight);
    }
    counts.push_back(count);
  }
  return counts;
}

}  // namespace orrery::analyze
