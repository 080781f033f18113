#include "analyze/edit_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace orrery::analyze {

std::vector<StepRange> ranges_of_steps(const link::StepGraph& step) {
  const auto without_number = [](std::string_view name) { return name.substr(0, name.find_last_not_of("0123456789") + 1); };
  // "ProfilerStep#1 to ProfilerStep#8" is a window, too.
  const std::string_view label = step.window.label;
  const std::string_view stem = without_number(label.substr(0, label.find(" to ")));
  std::vector<StepRange> ranges;
  for (const link::AnnotatedRange& range : step.annotations) {
    const std::string_view name = step.strings.text(range.name);
    const std::optional<std::int64_t> number = number_of_step(name);
    if (number && (step.window.is_whole_trace ? name.starts_with("ProfilerStep#") : without_number(name) == stem))
      ranges.push_back({*number, range.begin, range.end});
  }
  return ranges;
}

std::vector<std::string> absent_numbers(const NumberSet& wanted, std::span<const std::int64_t> present, std::string_view what) {
  std::vector<std::string> absent;
  for (const auto& [first, last] : wanted.ranges) {
    if (std::any_of(present.begin(), present.end(),
                    [&, begin = first, end = last](std::int64_t number) { return begin <= number && number <= end; }))
      continue;
    absent.push_back(first == last ? fmt::format("{} {}", what, first) : fmt::format("{}s {} to {}", what, first, last));
  }
  return absent;
}

TimePs belongs_at(const link::StepGraph& step, graph::Slot slot) {
  const std::uint32_t tag = step.graph.edge_tag(slot);
  return tag == graph::kNoTag ? step.time[step.graph.source(slot)] : step.owners[tag].launch_start;
}

}  // namespace orrery::analyze
