#include "causal/piece_names.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "match/communication.h"

namespace orrery::causal {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";

StringId intern_without_number(Interner& strings, std::string_view name) {
  return strings.intern(std::string(without_number(name)));  // a copy: interning may move the texts
}

// Annotations of a lane nest: walking both by start, a stack has those around a launch, the innermost on top.
void name_by_annotation(RankGraph& step, Column<StringId>& class_name) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t o = 0; o < step.owners.size(); ++o) order.push_back(o);
  const auto key = [&](std::uint32_t o) { return std::pair(step.owners[o].launch_lane, step.owners[o].launch_start); };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::vector<AnnotatedRange> ranges;
  for (const AnnotatedRange& range : step.annotations) {
    if (!match::is_host_communication(step.strings.text(range.name))) ranges.push_back(range);
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const AnnotatedRange& a, const AnnotatedRange& b) {
    return std::tuple(a.lane, a.begin, -a.end) < std::tuple(b.lane, b.begin, -b.end);
  });
  std::vector<AnnotatedRange> around;
  std::size_t next = 0;
  for (const std::uint32_t o : order) {
    const auto [lane, start] = key(o);
    while (next < ranges.size() && std::pair(ranges[next].lane, ranges[next].begin) <= std::pair(lane, start)) {
      if (!around.empty() && around.back().lane != ranges[next].lane) around.clear();
      while (!around.empty() && around.back().end <= ranges[next].begin) around.pop_back();
      around.push_back(ranges[next++]);
    }
    while (!around.empty() && (around.back().lane != lane || around.back().end <= start)) around.pop_back();
    if (around.empty()) continue;
    const std::string_view name = step.strings.text(around.back().name);
    class_name[o] = name.starts_with(kStepPrefix) ? intern_without_number(step.strings, name) : around.back().name;
  }
}

}  // namespace

std::string_view without_number(std::string_view name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

Column<StringId> name_pieces(RankGraph& step, std::span<const std::string_view> step_names, bool by_annotation) {
  const std::set<std::string_view> steps(step_names.begin(), step_names.end());
  Column<StringId> class_name;
  class_name.reserve(step.owners.size());
  for (const Owner& owner : step.owners) {
    const std::string_view name = step.strings.text(owner.name);
    const bool is_step = name.starts_with(kStepPrefix) || steps.contains(name);
    class_name.push_back(is_step ? intern_without_number(step.strings, name) : owner.name);
  }
  if (by_annotation) name_by_annotation(step, class_name);
  return class_name;
}

}  // namespace orrery::causal
