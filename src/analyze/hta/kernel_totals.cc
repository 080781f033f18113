#include "analyze/hta/kernel_totals.h"

#include <algorithm>
#include <array>
#include <tuple>

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

}  // namespace orrery::analyze::hta
