#include "analyze/hta/temporal.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>

#include "analyze/hta/statistics.h"

// Everything here is sets of intervals: those of one kind are merged to disjoint ones, and a sweep over the ends of all
// kinds tells how long each combination was running. Results are HTA's to the digit, so ties and roundings follow it.

namespace orrery::analyze::hta {

using causal::hta::JobRows;
using causal::hta::KernelTypes;
using causal::hta::kTabulatedTypes;
using causal::hta::RankRows;

report::Sheet kernel_types_sheet(const JobRows& job, bool with_memory) {
  const std::size_t count = with_memory ? kTabulatedTypes.size() : kTabulatedTypes.size() - 1;
  std::map<std::string, TimePs> by_label;
  for (const RankRows& rank : job) {
    KernelTypes types(rank.rows);
    std::vector<std::vector<Interval>> kinds;
    for (std::size_t i = 0; i < count; ++i) kinds.push_back(merged(device_intervals(rank, types, kTabulatedTypes[i])));
    for (const auto& [running, time] : sweep(kinds)) {
      std::string label;
      for (std::size_t i = 0; i < count; ++i) {
        if ((running >> i & 1) != 0)
          label += (label.empty() ? "" : " overlapping ") + std::string(to_string(kTabulatedTypes[i]));
      }
      by_label[label] += time;
    }
  }
  // Sorted by label first, which decides where times are equal.
  std::vector<std::pair<std::string, TimePs>> rows(by_label.begin(), by_label.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  TimePs total = 0;
  for (const auto& [label, time] : rows) total += time;
  report::Sheet sheet("types");
  sheet.add({.name = "type", .title = "type"})
      .add({.name = "sum", .type = report::Type::time, .unit = report::Unit::us, .title = "sum"})
      .add({.name = "pct", .type = report::Type::real, .title = "share %", .decimals = 1});
  for (const auto& [label, time] : rows)
    sheet.add_row({label, time, rounded(divide(to_us(time), to_us(total)) * 100, 1)});
  return sheet;
}

using causal::hta::KernelType;
using causal::hta::KernelTypes;
using causal::hta::RankRows;
using causal::hta::RowIndex;

std::vector<Interval> merged(std::vector<Interval> intervals) {
  std::stable_sort(intervals.begin(), intervals.end(),
                   [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::vector<Interval> out;
  TimePs latest = std::numeric_limits<TimePs>::min();
  for (const Interval& next : intervals) {
    // Touching intervals become one.
    if (out.empty() || next.begin > latest) out.push_back(next);
    else out.back().end = std::max(out.back().end, next.end);
    latest = std::max(latest, next.end);
  }
  return out;
}

TimePs length(std::span<const Interval> intervals) {
  TimePs total = 0;
  for (const Interval& interval : intervals) total += interval.end - interval.begin;
  return total;
}

std::vector<Interval> device_intervals(const RankRows& rank) {
  std::vector<Interval> intervals;
  for (const RowIndex r : rank.rows.frame) {
    if (rank.has_stream(r)) intervals.push_back({rank.rows.ts[r], rank.rows.end(r)});
  }
  return intervals;
}

std::vector<Interval> device_intervals(const RankRows& rank, KernelTypes& types, KernelType type) {
  std::vector<Interval> intervals;
  for (const RowIndex r : rank.rows.frame) {
    if (rank.has_stream(r) && types.of(r) == type) intervals.push_back({rank.rows.ts[r], rank.rows.end(r)});
  }
  return intervals;
}

std::map<int, TimePs> sweep(std::span<const std::vector<Interval>> kinds) {
  struct Change {
    TimePs time;
    int by;
  };
  std::vector<Change> changes;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    // Every kind has a bit, so a sum of bits names the set that is running; intervals of a kind are disjoint.
    const int bit = 1 << kind;
    for (const Interval& interval : kinds[kind]) changes.push_back({interval.begin, bit});
    for (const Interval& interval : kinds[kind]) changes.push_back({interval.end, -bit});
  }
  // At equal times the order does not matter for sums: such stretches have no length.
  std::stable_sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  std::map<int, TimePs> times;
  int running = 0;
  // After the last change nothing runs: every beginning has its end.
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    running += changes[i].by;
    if (running > 0) times[running] += changes[i + 1].time - changes[i].time;
  }
  return times;
}

using causal::hta::JobRows;
using causal::hta::KernelType;
using causal::hta::KernelTypes;
using causal::hta::RankRows;

report::Sheet overlap_sheet(const JobRows& job) {
  // The bits of communication and computation together.
  constexpr int kBoth = 3;
  report::Sheet sheet("overlap");
  sheet.add({.name = "rank", .type = report::Type::integer, .title = "rank"})
      .add({.name = "overlap",
            .type = report::Type::real,
            .unit = report::Unit::pct,
            .title = "overlap %",
            .decimals = 2});
  for (const RankRows& rank : job) {
    KernelTypes types(rank.rows);
    const std::array kinds = {merged(device_intervals(rank, types, KernelType::communication)),
                              merged(device_intervals(rank, types, KernelType::computation))};
    const std::map<int, TimePs> times = sweep(kinds);
    const auto both = times.find(kBoth);
    const double both_us = both == times.end() ? 0 : to_us(both->second);
    sheet.add_row({rank.number, rounded(100 * divide(both_us, to_us(length(kinds[0]))), 2)});
  }
  return sheet;
}

using causal::hta::JobRows;
using causal::hta::KernelType;
using causal::hta::KernelTypes;
using causal::hta::RankRows;

Result<report::Sheet> temporal_sheet(const JobRows& job) {
  using report::Type;
  using report::Unit;
  report::Sheet sheet("temporal");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"});
  for (const char* part : {"idle", "compute", "non_compute", "kernel"})
    sheet.add({.name = part, .type = Type::time, .unit = Unit::us, .title = part});
  for (const char* part : {"idle", "compute", "non_compute"})
    sheet.add({.name = std::string(part) + "_pct",
               .type = Type::real,
               .unit = Unit::pct,
               .title = std::string(part) + " %",
               .decimals = 2});
  for (const RankRows& rank : job) {
    const std::vector<Interval> busy = merged(device_intervals(rank));
    if (busy.empty()) return Error{"a rank has no device rows"};
    KernelTypes types(rank.rows);
    const TimePs span = busy.back().end - busy.front().begin;
    const TimePs idle = span - length(busy);
    const TimePs compute = length(merged(device_intervals(rank, types, KernelType::computation)));
    // Not what is computed itself, but what is left: so the parts add up to the whole.
    const TimePs other = span - compute - idle;
    if (idle > span || compute > span || other < 0) return Error{"negative durations make the parts exceed the whole"};
    const auto percent = [&](TimePs part) { return rounded(100 * divide(to_us(part), to_us(span)), 2); };
    sheet.add_row({rank.number, idle, compute, other, span, percent(idle), percent(compute), percent(other)});
  }
  return sheet;
}

}  // namespace orrery::analyze::hta
