#include "analyze/hta/overlap.h"

#include <array>

#include "analyze/hta/intervals.h"
#include "analyze/hta/statistics.h"

namespace orrery::analyze::hta {

using causal::hta::JobRows;
using causal::hta::KernelType;
using causal::hta::KernelTypes;
using causal::hta::RankRows;

report::Sheet overlap_sheet(const JobRows& job) {
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

}  // namespace orrery::analyze::hta
