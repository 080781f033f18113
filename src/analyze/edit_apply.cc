// Applying what-if edits to the graph of one rank.
#include <algorithm>

#include "analyze/edit_language.h"
#include "analyze/edit_scope.h"
#include "analyze/edit_selector.h"
#include "analyze/profiler_cost.h"

namespace orrery::analyze {
namespace {

/// What the scope of a rule leaves of one rank's edges.
class ScopeOfRank {
 public:
  ScopeOfRank(const link::StepGraph& step, const EditScope& scope) : step_(step), limited_(scope.steps.has_value()) {
    holds_ = !scope.ranks || scope.ranks->contains(step.rank);
    if (!limited_) return;
    ranges_ = ranges_of_steps(step);
    std::erase_if(ranges_, [&](const StepRange& range) { return !scope.steps->contains(range.number); });
  }

  [[nodiscard]] bool holds() const { return holds_; }
  [[nodiscard]] bool selects(graph::Slot slot) const {
    if (!limited_) return true;
    const TimePs at = belongs_at(step_, slot);
    return std::any_of(ranges_.begin(), ranges_.end(), [&](const StepRange& range) { return range.begin <= at && at < range.end; });
  }

 private:
  const link::StepGraph& step_;
  bool holds_ = true;
  bool limited_;
  std::vector<StepRange> ranges_;
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
