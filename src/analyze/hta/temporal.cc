#include "analyze/hta/temporal.h"

#include "analyze/hta/intervals.h"
#include "analyze/hta/statistics.h"

namespace orrery::analyze::hta {

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
    const TimePs other = span - compute - idle;
    if (idle > span || compute > span || other < 0) return Error{"negative durations make the parts exceed the whole"};
    const auto percent = [&](TimePs part) { return rounded(100 * divide(to_us(part), to_us(span)), 2); };
    sheet.add_row({rank.number, idle, compute, other, span, percent(idle), percent(compute), percent(other)});
  }
  return sheet;
}

}  // namespace orrery::analyze::hta
