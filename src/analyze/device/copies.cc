#include "analyze/device/copies.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/int128.h"
#include "base/parallel.h"

// Copies are grouped by device and kind. Beside the rate of each, a sweep over their begins and ends adds up what ran
// at the same time: the time with any copy running, and the largest sum of rates.

namespace orrery::analyze {
namespace {

// Bytes per picosecond are 1000 GB/s.
constexpr double kGbPerSecond = 1000;

struct Copy {
  TimePs start = 0;
  TimePs end = 0;
  std::optional<std::uint64_t> bytes;

  [[nodiscard]] TimePs time() const { return end - start; }
  [[nodiscard]] double rate() const { return kGbPerSecond * static_cast<double>(*bytes) / static_cast<double>(time()); }
};

double between(const std::vector<double>& sorted, double q) {
  const double place = static_cast<double>(sorted.size() - 1) * q;
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  // Linear between neighbours, as NumPy and pandas do by default.
  return sorted[below] + (sorted[below + 1] - sorted[below]) * (place - static_cast<double>(below));
}

// "Memcpy HtoD (Pageable -> Device)" -> "Memcpy HtoD".
std::string kind_of(std::string_view name) {
  std::string_view kind = name.substr(0, name.find('('));
  while (kind.ends_with(' ')) kind.remove_suffix(1);
  return std::string(kind.empty() ? name : kind);
}

// Rates are added up in whole kB/s: what has ended leaves no dust of cancelled fractions behind.
Int128 whole_rate(const Copy& copy) {
  return copy.bytes && copy.time() > 0 ? static_cast<Int128>(std::round(copy.rate() * 1e6)) : 0;
}

void add_concurrent(const std::vector<Copy>& copies, CopyRates& rates) {
  struct RateChange {
    TimePs time;
    int delta;
    Int128 rate;
  };
  std::vector<RateChange> changes;
  for (const Copy& copy : copies) {
    changes.push_back({copy.start, 1, whole_rate(copy)});
    changes.push_back({copy.end, -1, -whole_rate(copy)});
  }
  std::sort(changes.begin(), changes.end(), [](const RateChange& a, const RateChange& b) { return a.time < b.time; });
  std::int64_t running = 0;
  Int128 together = 0, most = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    // Only what lasts counts: between one change and the next, not in the moment where one copy ends and another
    // begins.
    if (i > 0 && changes[i].time > changes[i - 1].time && running > 0) {
      rates.any_time = plus_capped(rates.any_time, changes[i].time - changes[i - 1].time);
      most = std::max(most, together);
    }
    running += changes[i].delta;
    together += changes[i].rate;
  }
  if (most > 0) rates.concurrent_most = static_cast<double>(most) / 1e6;
  // With copies of unknown size the sum of bytes is too small for a rate.
  if (rates.any_time > 0 && rates.without_bytes == 0)
    rates.concurrent = kGbPerSecond * static_cast<double>(rates.bytes) / static_cast<double>(rates.any_time);
}

CopyRates rates_of(std::vector<Copy>& copies) {
  CopyRates rates;
  rates.count = copies.size();
  std::vector<double> per_copy;
  TimePs sized_time = 0;
  for (const Copy& copy : copies) {
    rates.time = plus_capped(rates.time, copy.time());
    if (!copy.bytes) {
      ++rates.without_bytes;
      continue;
    }
    rates.bytes += *copy.bytes;
    sized_time = plus_capped(sized_time, copy.time());
    if (copy.time() > 0) per_copy.push_back(copy.rate());
  }
  if (sized_time > 0) rates.rate = kGbPerSecond * static_cast<double>(rates.bytes) / static_cast<double>(sized_time);
  if (!per_copy.empty()) {
    std::sort(per_copy.begin(), per_copy.end());
    rates.per_copy = {per_copy.front(), between(per_copy, 0.25), between(per_copy, 0.5), between(per_copy, 0.75),
                      per_copy.back()};
  }
  add_concurrent(copies, rates);
  return rates;
}

RankCopies copies_of_rank(const DeviceRank& devices) {
  RankCopies result;
  result.devices = &devices;
  std::map<std::pair<std::int64_t, std::string>, std::vector<Copy>> by_kind;
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    if (devices.types[w] < WorkType::memory_copy || !devices.belongs(w)) continue;
    const causal::DeviceWork& work = devices.timeline.works[w];
    Copy copy{work.start, work.end, {}};
    if (const auto bytes = devices.rank->field(trace::Field::bytes).find(work.event); bytes && *bytes >= 0)
      copy.bytes = static_cast<std::uint64_t>(*bytes);
    by_kind[{devices.devices[devices.device_of(w)], kind_of(devices.trace->name(*devices.rank, work.event))}].push_back(
        copy);
  }
  for (auto& [key, copies] : by_kind) {
    result.kinds.push_back(rates_of(copies));
    result.kinds.back().device = key.first;
    result.kinds.back().kind = key.second;
  }
  return result;
}

}  // namespace

std::vector<RankCopies> measure_copies(const std::vector<DeviceRank>& ranks) {
  std::vector<RankCopies> copies(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { copies[r] = copies_of_rank(ranks[r]); });
  return copies;
}

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

Sheet copies_sheet(const std::vector<RankCopies>& ranks) {
  Sheet sheet("copies");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "device", .type = Type::integer, .title = "device", .decimals = report::kExact})
      .add({.name = "kind", .title = "kind"})
      .add({.name = "count", .type = Type::integer, .title = "count"})
      .add({.name = "without_bytes", .type = Type::integer})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "bytes"})
      .add({.name = "time", .type = Type::time, .unit = Unit::us, .title = "time"})
      .add({.name = "any", .type = Type::time, .unit = Unit::us});
  for (const auto& [name, title] : {std::pair{"rate", "rate"},
                                    {"min", "least"},
                                    {"p25", ""},
                                    {"p50", "median"},
                                    {"p75", ""},
                                    {"max", "most"},
                                    {"concurrent", "together"},
                                    {"concurrent_max", ""}})
    sheet.add({.name = name, .type = Type::real, .unit = Unit::gb_per_s, .title = title, .decimals = 3});
  const auto cell_of_rate = [](const std::optional<double>& value) { return value ? Cell(*value) : Cell(nullptr); };
  for (const RankCopies& rank : ranks) {
    for (const CopyRates& kind : rank.kinds) {
      std::vector<Cell> cells = {rank.devices->rank->rank, kind.device, kind.kind, kind.count,
                                 kind.without_bytes,       kind.bytes,  kind.time, kind.any_time,
                                 cell_of_rate(kind.rate)};
      const auto& over = kind.per_copy;
      for (const auto member :
           {&CopyRates::OverCopies::least, &CopyRates::OverCopies::quarter, &CopyRates::OverCopies::median,
            &CopyRates::OverCopies::three_quarters, &CopyRates::OverCopies::most})
        cells.push_back(over ? Cell((*over).*member) : Cell(nullptr));
      cells.push_back(cell_of_rate(kind.concurrent));
      cells.push_back(cell_of_rate(kind.concurrent_most));
      sheet.add_row(cells);
    }
  }
  return sheet;
}

}  // namespace orrery::analyze
