#include "analyze/hta/annotations.h"

#include <set>

#include "causal/hta/step_numbers.h"

namespace orrery::analyze::hta {

using causal::hta::JobRows;
using causal::hta::RankRows;
using causal::hta::RowIndex;

Result<report::Sheet> annotations_sheet(const JobRows& job, std::string_view sheet_name, std::string_view category,
                                        const TotalsLimit& limit) {
  if (!has_symbol(job, category)) return Error{"no " + std::string(category) + " in the trace"};
  report::Sheet sheet{std::string(sheet_name)};
  sheet.add({.name = "rank", .type = report::Type::integer, .title = "rank"});
  add_total_columns(sheet);
  for (const RankRows& rank : job) {
    const Interner& strings = rank.rows.trace->strings;
    const StringId wanted = strings.find(category);
    std::vector<NamedDuration> durations;
    for (const RowIndex r : rank.rows.frame) {
      if (rank.rows.category(r) == wanted) durations.push_back({rank.rows.name(r), rank.rows.dur[r]});
    }
    for (const NameTotal& total : totals_by_name(durations, strings, limit)) {
      std::vector<report::Cell> cells = {rank.number};
      add_cells(total, cells);
      sheet.add_row(cells);
    }
  }
  return sheet;
}

std::vector<std::int64_t> profiled_steps(const JobRows& job) {
  std::set<std::int64_t> steps;
  for (const RankRows& rank : job) {
    for (const RowIndex r : rank.rows.frame) {
      if (const auto number = causal::hta::step_number(rank.rows.name_text(r))) steps.insert(*number);
    }
  }
  return {steps.begin(), steps.end()};
}

}  // namespace orrery::analyze::hta
