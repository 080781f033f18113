#include "cli/simulate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyze/schedule_sheets.h"
#include "analyze/share.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

using simulate::PathPiece;
using simulate::RankUse;

std::string headline(const SimulationReport& report) {
  const auto& ranks = report.schedule.ranks;
  const RankUse& latest = ranks[analyze::last_rank(report.schedule)];
  const auto sooner = [](const RankUse& a, const RankUse& b) { return a.finish_ps < b.finish_ps; };
  const auto* const earliest = std::min_element(ranks.begin(), ranks.end(), sooner);
  std::string text = fmt::format("{} ranks finish in {} ({})", format_count(ranks.size()), format_duration(latest.finish_ps), report.model);
  text += fmt::format(": {:.1f} % of the last rank's time is communication that no computation hides",
                      analyze::share_percent(latest.exposed_ps, latest.finish_ps));
  if (earliest->finish_ps != latest.finish_ps)
    text += fmt::format("; rank {} is done first, after {}", earliest - ranks.begin(), format_duration(earliest->finish_ps));
  return text + ".\n";
}

/// The rows that matter most: many ranks and links do the same, and a table of thousands says nothing.
std::string busiest(const Invocation& invocation, const report::Sheet& sheet, std::string_view by, std::string_view rest) {
  report::SheetView view = invocation.view();
  view.rows = report::kShownRows;
  view.largest = by;
  view.rest = rest;
  view.merge_alike = !by.empty();
  return to_text(sheet, view);
}

std::string path_text(const Invocation& invocation, const SimulationReport& report, std::span<const PathPiece> path) {
  std::size_t changes = 0;
  for (std::size_t i = 1; i < path.size(); ++i) changes += path[i - 1].place.rank != path[i].place.rank ? 1 : 0;
  return fmt::format("\nThe critical path has {} pieces and changes ranks {} times.\n", format_count(path.size()), format_count(changes)) +
         busiest(invocation, analyze::path_parts_sheet(report.workload, path, report.schedule.makespan_ps()), "", "kinds");
}

std::vector<report::Sheet> all_sheets(const Invocation& invocation, const SimulationReport& report, std::span<const PathPiece> path) {
  if (report.sums != nullptr) {  // nothing else was kept
    std::vector<report::Sheet> sheets;
    sheets.push_back(analyze::ranks_sheet(report.schedule));
    sheets.push_back(analyze::links_sheet(report.schedule, report.link_names));
    sheets.push_back(analyze::collective_kinds_sheet(report.sums->collectives()));
    return sheets;
  }
  std::vector<report::Sheet> sheets = analyze::schedule_sheets(report.workload, report.schedule, report.link_names);
  if (invocation.has("per-node")) sheets.push_back(analyze::nodes_sheet(report.workload, report.schedule));
  if (!path.empty()) sheets.push_back(analyze::path_pieces_sheet(report.workload, path));
  return sheets;
}

}  // namespace

void report_simulation(Invocation& invocation, const SimulationReport& report, std::span<const PathPiece> path) {
  std::string& text = invocation.text();
  if (invocation.csv()) {
    text = report::to_csv(all_sheets(invocation, report, path));
    return;
  }
  if (invocation.json()) {
    JsonWriter& json = invocation.data();
    report::write_nanoseconds(json, "makespan_ns", report.schedule.makespan_ps());
    json.field("model", report.model);
    if (report.events > 0) json.field("events", report.events);  // only the simulators that are reproduced count them
    for (const report::Sheet& sheet : all_sheets(invocation, report, path)) write_sheet(json, sheet);
    return;
  }
  text = invocation.style().paint(report::Tone::strong, headline(report)) + "\n" +
         busiest(invocation, analyze::ranks_sheet(report.schedule), "finish", "ranks, done earlier");
  const auto add = [&](const std::string& table) { text += table.empty() ? "" : "\n" + table; };
  const simulate::CollectiveSums sums = report.sums != nullptr ? report.sums->collectives() : analyze::sums_of(report.schedule);
  add(busiest(invocation, analyze::collective_kinds_sheet(sums), "", "kinds"));
  add(busiest(invocation, analyze::links_sheet(report.schedule, report.link_names), "busy", "links, less busy"));
  if (!path.empty()) text += path_text(invocation, report, path);
}

}  // namespace orrery::cli
