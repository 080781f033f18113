#include "replay/torch/edits/edit_outcomes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analyze/whatif/edit_language.h"
#include "replay/torch/edits/edit_refusals.h"

namespace orrery::replay::torch {
namespace {

const analyze::EditScope* scope_of(const analyze::ParsedEdit& edit) {
  if (const auto* rule = std::get_if<analyze::EditRule>(&edit)) return &rule->scope;
  if (const auto* delay = std::get_if<analyze::DelayEvent>(&edit)) return &delay->scope;
  return nullptr;
}

std::string several(std::uint64_t count, const char* one) {
  return fmt::format("{} {}{}", format_count(count), one, count == 1 ? "" : "s");
}

// What is done to each sort of thing that a change can select.
std::vector<std::string> parts_of(const analyze::EditRule& rule, const EditCount& count) {
  const bool removes = leaves_nothing(rule), stays = leaves_everything(rule);
  std::vector<std::string> parts;
  if (count.operations > 0)
    parts.push_back(several(count.operations, "operation") + (stays                   ? " as recorded"
                                                              : count.operations == 1 ? " is not called"
                                                                                      : " are not called"));
  if (count.communications > 0)
    parts.push_back(several(count.communications, "communication") +
                    (removes ? " left out" : fmt::format(" of {:g} times the size", rule.factor)));
  if (count.works > 0)
    parts.push_back(several(count.works, "piece") +
                    (removes ? " of replaced work left out" : " of replaced work changed"));
  if (count.is_pace)
    parts.push_back(
        fmt::format("the host's own time between calls is {:g} times the recorded one", removes ? 0 : rule.factor));
  return parts;
}

}  // namespace

std::vector<EditOutcome> outcomes_of(const std::vector<analyze::ParsedEdit>& edits,
                                     const std::vector<OperationList>& ranks) {
  std::vector<std::int64_t> numbers, steps;
  for (const OperationList& rank : ranks) {
    numbers.push_back(rank.rank);
    steps.insert(steps.end(), rank.edited.steps.begin(), rank.edited.steps.end());
  }
  std::vector<EditOutcome> outcomes(edits.size());
  for (std::size_t i = 0; i < edits.size(); ++i) {
    EditOutcome& outcome = outcomes[i];
    outcome.text = analyze::text_of(edits[i]);
    for (const OperationList& rank : ranks) outcome.count += rank.edited.counts[i];
    const analyze::EditScope* const scope = scope_of(edits[i]);
    if (scope != nullptr && scope->ranks) outcome.not_there = analyze::absent_numbers(*scope->ranks, numbers, "rank");
    if (scope == nullptr || !scope->steps) continue;
    const std::vector<std::string> absent = analyze::absent_numbers(*scope->steps, steps, "step");
    outcome.not_there.insert(outcome.not_there.end(), absent.begin(), absent.end());
  }
  return outcomes;
}

std::string remark_on(const analyze::ParsedEdit& edit, const EditOutcome& outcome) {
  std::vector<std::string> parts;
  if (const auto* rule = std::get_if<analyze::EditRule>(&edit)) parts = parts_of(*rule, outcome.count);
  else if (const auto* delay = std::get_if<analyze::DelayEvent>(&edit); delay != nullptr && outcome.count.pauses > 0)
    parts.push_back(fmt::format("the host stands still for {} at the begin of {}", format_duration(delay->amount),
                                several(outcome.count.pauses, "step")));
  if (parts.empty()) parts.emplace_back("selects nothing");
  return fmt::format("{}: {}", outcome.text, fmt::join(parts, ", "));
}

}  // namespace orrery::replay::torch
