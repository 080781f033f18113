#include "analyze/hta/intervals.h"

#include <algorithm>
#include <limits>

namespace orrery::analyze::hta {

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
    const int bit = 1 << kind;
    for (const Interval& interval : kinds[kind]) changes.push_back({interval.begin, bit});
    for (const Interval& interval : kinds[kind]) changes.push_back({interval.end, -bit});
  }
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

}  // namespace orrery::analyze::hta
