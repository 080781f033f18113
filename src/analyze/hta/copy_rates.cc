#include "analyze/hta/copy_rates.h"

#include <algorithm>
#include <string>

#include "analyze/hta/statistics.h"
#include "causal/hta/kernel_type.h"

namespace orrery::analyze::hta {
namespace {

using causal::hta::JobRows;
using causal::hta::KernelType;
using causal::hta::KernelTypes;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

// "Memcpy DtoH" of "Memcpy DtoH (Device -> Pinned)": the first 11 characters.
std::string_view kind_of(std::string_view name) {
  if (name.starts_with("Memset")) return "Memset";
  if (!name.starts_with("Memcpy")) return "Memcpy Unknown";
  std::size_t bytes = 0;
  for (int characters = 0; bytes < name.size(); ++bytes) {
    const bool begins_one = (static_cast<unsigned char>(name[bytes]) & 0xC0) != 0x80;  // of UTF-8
    if (begins_one && ++characters > 11) break;
  }
  return name.substr(0, bytes);
}

}  // namespace

std::vector<RowIndex> copy_rows(const RankRows& rank) {
  KernelTypes types(rank.rows);
  std::vector<RowIndex> copies;
  for (const RowIndex r : rank.rows.frame) {
    if (rank.has_stream(r) && types.of(r) == KernelType::memory) copies.push_back(r);
  }
  return copies;
}

std::map<std::string_view, std::vector<CopyRate>> copy_series(const RankRows& rank,
                                                              const std::vector<double>& rates_gbps) {
  const Rows& rows = rank.rows;
  const std::vector<RowIndex> copies = copy_rows(rank);
  std::vector<CopyRate> changes;
  for (std::size_t k = 0; k < copies.size(); ++k) changes.push_back({rows.ts[copies[k]], rates_gbps[k], copies[k], k});
  for (std::size_t k = 0; k < copies.size(); ++k) {
    // HTA lets copies of no length last a microsecond.
    const TimePs lasts = rows.dur[copies[k]] == 0 ? kPsPerUs : rows.dur[copies[k]];
    changes.push_back({rows.ts[copies[k]] + lasts, -rates_gbps[k], copies[k], copies.size() + k});
  }
  // Stable: of changes at one moment beginnings come first, as they stand in the list.
  std::stable_sort(changes.begin(), changes.end(),
                   [](const CopyRate& a, const CopyRate& b) { return a.time < b.time; });
  std::map<std::string_view, std::vector<CopyRate>> by_kind;
  for (const CopyRate& change : changes) {
    std::vector<CopyRate>& series = by_kind[kind_of(rows.name_text(change.row))];
    const double before = series.empty() ? 0 : series.back().gbps;
    series.push_back(change);
    series.back().gbps = before + change.gbps;
  }
  return by_kind;
}

Result<report::Sheet> copy_rates_sheet(const JobRows& job, const std::vector<std::vector<double>>& rates_gbps) {
  report::Sheet sheet("copies");
  sheet.add({.name = "rank", .type = report::Type::integer, .title = "rank"}).add({.name = "kind", .title = "kind"});
  add_description_columns(sheet, report::Unit::none, {}, "_gbps");
  bool any_copy = false;
  for (std::size_t i = 0; i < job.size(); ++i) {
    const std::map<std::string_view, std::vector<CopyRate>> by_kind = copy_series(job[i], rates_gbps[i]);
    any_copy = any_copy || !by_kind.empty();
    for (const auto& [kind, series] : by_kind) {
      std::vector<double> above_zero;
      for (const CopyRate& rate : series) {
        // Where nothing is copied the sum is 0, or nearly so by rounding: only what is above counts.
        if (rate.gbps > 0) above_zero.push_back(rate.gbps);
      }
      if (above_zero.empty()) continue;
      std::vector<report::Cell> cells = {job[i].number, kind};
      add_cells(describe(std::move(above_zero)), cells);
      sheet.add_row(cells);
    }
  }
  if (!any_copy) return Error{"no copies or sets"};
  return sheet;
}

}  // namespace orrery::analyze::hta
