#include "analyze/device/kernel_counters.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::analyze {
namespace {

using trace::Activity;
using trace::EventIndex;

constexpr std::string_view kRangeCategory = "cuda_profiler_range";

// cudaLaunchKernel, cudaLaunchKernelExC, cuLaunchKernel, hipModuleLaunchKernel; a graph's kernels are not counted one
// by one.
bool launches_a_kernel(std::string_view name) { return name.find("LaunchKernel") != std::string_view::npos; }

template <typename Test>
std::vector<EventIndex> events_in_order(const DeviceRank& devices, Test&& test) {
  std::vector<EventIndex> found;
  for (EventIndex e = 0; e < devices.rank->event_count(); ++e) {
    const TimePs start = devices.rank->start[e];
    if (start < devices.window.begin || start > devices.window.end ||
        (start == devices.window.end && !devices.window.is_whole_trace))
      continue;
    if (test(e)) found.push_back(e);
  }
  std::sort(found.begin(), found.end(), [&](EventIndex a, EventIndex b) {
    if (devices.rank->start[a] != devices.rank->start[b]) return devices.rank->start[a] < devices.rank->start[b];
    return devices.content.before(a, b);
  });
  return found;
}

// Operators around each of some calls, the outermost first. Calls are by start.
std::vector<std::vector<StringId>> operators_around(const DeviceRank& devices, const std::vector<EventIndex>& calls) {
  const trace::RankTrace& rank = *devices.rank;
  std::vector<std::vector<EventIndex>> operators(rank.lanes.size());
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (rank.activity(e) == Activity::cpu_operator && rank.has_duration(e)) operators[rank.lane[e]].push_back(e);
  }
  for (auto& lane : operators)
    std::sort(lane.begin(), lane.end(), [&](EventIndex a, EventIndex b) { return devices.content.before(a, b); });
  std::vector<std::size_t> next(rank.lanes.size(), 0);
  std::vector<std::vector<EventIndex>> open(rank.lanes.size());
  std::vector<std::vector<StringId>> around;
  for (const EventIndex call : calls) {
    const auto& lane = operators[rank.lane[call]];
    auto& stack = open[rank.lane[call]];
    for (std::size_t& n = next[rank.lane[call]]; n < lane.size() && rank.start[lane[n]] <= rank.start[call]; ++n) {
      while (!stack.empty() && rank.end(stack.back()) <= rank.start[lane[n]]) stack.pop_back();
      stack.push_back(lane[n]);
    }
    std::vector<StringId>& names = around.emplace_back();
    for (const EventIndex e : stack) {
      if (rank.end(e) >= rank.end(call)) names.push_back(rank.name[e]);
    }
  }
  return around;
}

}  // namespace

std::vector<EventIndex> counted_ranges(const DeviceRank& devices) {
  return events_in_order(devices, [&](EventIndex e) {
    return devices.trace->strings.text(devices.rank->categories[devices.rank->category[e]].text) == kRangeCategory;
  });
}

std::vector<KernelCounters> kernel_counters(const DeviceRank& devices, const std::vector<EventIndex>& ranges,
                                            std::vector<std::map<std::string, std::string>> arguments) {
  const std::vector<EventIndex> calls = events_in_order(devices, [&](EventIndex e) {
    return devices.rank->activity(e) == Activity::runtime_call &&
           launches_a_kernel(devices.trace->name(*devices.rank, e));
  });
  std::vector<std::vector<StringId>> operators;
  if (calls.size() == ranges.size()) operators = operators_around(devices, calls);
  std::vector<KernelCounters> rows;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    KernelCounters& row = rows.emplace_back();
    row.rank = devices.rank->rank;
    row.kernel = devices.rank->name[ranges[i]];
    if (!operators.empty()) row.operators = std::move(operators[i]);
    row.counters = std::move(arguments[i]);
  }
  return rows;
}

report::Sheet counters_sheet(const Interner& strings, const std::vector<KernelCounters>& rows) {
  report::Sheet sheet("counters");
  sheet.add({.name = "rank", .type = report::Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "kernel", .title = "kernel"})
      .add({.name = "operators", .title = "launched in"})
      .add({.name = "counter", .title = "counter"})
      .add({.name = "value", .title = "value"});
  for (const KernelCounters& row : rows) {
    std::string joined;
    for (std::size_t i = 0; row.operators && i < row.operators->size(); ++i)
      joined += fmt::format("{}{}", i == 0 ? "" : " > ", strings.text((*row.operators)[i]));
    for (const auto& [name, value] : row.counters)
      sheet.add_row({row.rank, strings.text(row.kernel), row.operators ? report::Cell(joined) : report::Cell(nullptr),
                     name, value});
  }
  return sheet;
}

}  // namespace orrery::analyze
