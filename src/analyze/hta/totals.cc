#include "analyze/hta/totals.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "analyze/hta/statistics.h"
#include "base/statistics.h"
#include "causal/hta/kernel_type.h"

namespace orrery::analyze::hta {

using causal::hta::JobRows;
using causal::hta::KernelType;
using causal::hta::KernelTypes;
using causal::hta::kTabulatedTypes;
using causal::hta::RankRows;
using causal::hta::RowIndex;

report::Sheet kernel_totals_sheet(const JobRows& job, bool with_memory, const TotalsLimit& limit) {
  struct Row {
    std::string_view type;
    std::int64_t rank;
    NameTotal total;
  };
  std::vector<Row> rows;
  for (const RankRows& rank : job) {
    KernelTypes types(rank.rows);
    std::array<std::vector<NamedDuration>, kTabulatedTypes.size() + 1> by_type;
    for (const RowIndex r : rank.rows.frame) {
      if (rank.has_stream(r))
        by_type[static_cast<std::size_t>(types.of(r))].push_back({rank.rows.name(r), rank.rows.dur[r]});
    }
    for (const KernelType type : kTabulatedTypes) {
      if (type == KernelType::memory && !with_memory) continue;
      for (NameTotal& total : totals_by_name(by_type[static_cast<std::size_t>(type)], rank.rows.trace->strings, limit))
        rows.push_back({to_string(type), rank.number, std::move(total)});
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.type, a.total.name, a.rank) < std::tie(b.type, b.total.name, b.rank);
  });
  report::Sheet sheet("kernels");
  sheet.add({.name = "type", .title = "type"}).add({.name = "rank", .type = report::Type::integer, .title = "rank"});
  add_total_columns(sheet);
  for (const Row& row : rows) {
    std::vector<report::Cell> cells = {row.type, row.rank};
    add_cells(row.total, cells);
    sheet.add_row(cells);
  }
  return sheet;
}

namespace {

using Durations = std::vector<TimePs>;

NameTotal total_of(std::string_view name, const Durations& durations) {
  std::vector<double> us;
  us.reserve(durations.size());
  for (const TimePs duration : durations) us.push_back(to_us(duration));
  return {.name = std::string(name),
          .sum = std::accumulate(durations.begin(), durations.end(), TimePs{0}),
          .max = *std::max_element(durations.begin(), durations.end()),
          .min = *std::min_element(durations.begin(), durations.end()),
          .mean_us = mean(us),
          .std_us = us.size() > 1 ? deviation(us) : 0};
}

bool is_kept(const NameTotal& total, const TotalsLimit& limit) {
  if (!limit.keep_containing) return total.sum < 0;
  return std::any_of(limit.keep_containing->begin(), limit.keep_containing->end(),
                     [&](const std::string& text) { return total.name.find(text) != std::string::npos; });
}

// `totals` by descending sum. Statistics are of sums from here on: what was one kernel of many calls looks like one
// call.
std::vector<NameTotal> cut(const std::vector<NameTotal>& totals, const TotalsLimit& limit) {
  std::vector<double> running;
  running.reserve(totals.size());
  TimePs sum = 0;
  for (const NameTotal& total : totals) running.push_back(to_us(sum += total.sum));
  std::vector<double> sorted = running;
  std::sort(sorted.begin(), sorted.end());
  // A quantile of the running sums, not a share of the total: that is what HTA compares with.
  const double most = sorted_quantile(sorted, limit.duration_ratio);
  std::map<std::string_view, Durations> groups;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const bool is_small = !is_kept(totals[i], limit) && (i >= limit.top || running[i] > most);
    groups[is_small ? std::string_view("others") : std::string_view(totals[i].name)].push_back(totals[i].sum);
  }
  std::vector<NameTotal> result;
  result.reserve(groups.size());
  for (const auto& [name, sums] : groups) result.push_back(total_of(name, sums));
  return result;
}

}  // namespace

std::vector<NameTotal> totals_by_name(const std::vector<NamedDuration>& rows, const Interner& strings,
                                      const TotalsLimit& limit) {
  std::unordered_map<StringId, Durations> by_name;
  for (const NamedDuration& row : rows) by_name[row.name].push_back(row.duration);
  std::vector<NameTotal> totals;
  totals.reserve(by_name.size());
  for (const auto& [name, durations] : by_name) totals.push_back(total_of(strings.text(name), durations));
  // By name first, so that equal sums keep that order.
  std::sort(totals.begin(), totals.end(), [](const NameTotal& a, const NameTotal& b) { return a.name < b.name; });
  if (limit.top == 0 || totals.size() <= limit.top) return totals;
  std::stable_sort(totals.begin(), totals.end(), [](const NameTotal& a, const NameTotal& b) { return a.sum > b.sum; });
  return cut(totals, limit);
}

void add_total_columns(report::Sheet& sheet) {
  using report::Type;
  using report::Unit;
  sheet.add({.name = "name", .title = "name"});
  for (const char* part : {"sum", "max", "min"})
    sheet.add({.name = part, .type = Type::time, .unit = Unit::us, .title = part});
  for (const char* part : {"mean", "std"})
    sheet.add({.name = part, .type = Type::real, .unit = Unit::us, .title = std::string(part) + " µs"});
}

void add_cells(const NameTotal& total, std::vector<report::Cell>& cells) {
  cells.insert(cells.end(), {total.name, total.sum, total.max, total.min, total.mean_us, total.std_us});
}

}  // namespace orrery::analyze::hta
