#include "analyze/hta/kernel_types.h"

#include <algorithm>
#include <map>
#include <string>

#include "analyze/hta/intervals.h"
#include "analyze/hta/statistics.h"

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

}  // namespace orrery::analyze::hta
