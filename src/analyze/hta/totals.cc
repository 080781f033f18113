#include "analyze/hta/totals.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "analyze/hta/statistics.h"
#include "base/statistics.h"

namespace orrery::analyze::hta {
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
