#include "cli/workloads/simulate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyze/schedule/link_use.h"
#include "analyze/schedule/pricing_sheets.h"
#include "analyze/schedule/schedule_sheets.h"
#include "base/percent.h"
#include "report/counted.h"
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
  std::string text = fmt::format("{} in {} ({})", report::counted(ranks.size(), "rank finishes", "ranks finish"),
                                 format_duration(latest.finish_ps), report.model);
  text += fmt::format(": {:.1f} % of the last rank's time is communication that no computation hides",
                      share_percent(latest.exposed_ps, latest.finish_ps));
  if (earliest->finish_ps != latest.finish_ps)
    text += fmt::format("; rank {} is done first, after {}", earliest - ranks.begin(),
                        format_duration(earliest->finish_ps));
  return text + ".\n";
}

/// The rows that matter most: many ranks and links do the same, and a table of thousands says nothing.
std::string busiest(const Invocation& invocation, const report::Sheet& sheet, std::string_view by,
                    std::string_view rest) {
  report::SheetView view = invocation.view();
  view.rows = report::kShownRows;
  view.largest = by;
  view.rest = rest;
  view.merge_alike = !by.empty();
  return to_text(sheet, view);
}

std::string path_text(const Invocation& invocation, const SimulationReport& report,
                      const analyze::ScheduleReasons& reasons) {
  const std::span<const PathPiece> path = reasons.path;
  const TimePs makespan = report.schedule.makespan_ps();
  std::size_t changes = 0;
  for (std::size_t i = 1; i < path.size(); ++i) changes += path[i - 1].place.rank != path[i].place.rank ? 1 : 0;
  std::string text = fmt::format("\nThe critical path has {} and changes ranks {}.",
                                 report::counted(path.size(), "segment"), report::counted(changes, "time"));
  // Not every simulator's rules are known here: where its times say nothing, the path has no more to say either.
  if (path.front().from_ps > 0)
    text += fmt::format(" It begins at {}: nothing in the run says why that did not start before.",
                        format_duration(path.front().from_ps));
  text += "\n" + busiest(invocation, analyze::path_parts_sheet(report.workload, path, makespan), "", "kinds");
  const std::string reactions = busiest(invocation, analyze::reactions_sheet(reasons.reactions, makespan), "", "sorts");
  return reactions.empty() ? text : text + "\n" + reactions;
}

std::string waits_text(const Invocation& invocation, const SimulationReport& report, const simulate::WaitSums& waits) {
  const std::string late = busiest(invocation, analyze::late_ranks_sheet(waits), "share", "ranks, less waited for");
  return "\n" + busiest(invocation, analyze::waits_sheet(waits, report.schedule.ranks.size()), "", "kinds") + "\n" +
         (late.empty() ? "No rank waited for another.\n" : late);
}

std::vector<report::Sheet> all_sheets(const Invocation& invocation, const SimulationReport& report,
                                      const analyze::ScheduleReasons& reasons) {
  std::vector<report::Sheet> sheets;
  if (report.sums != nullptr) {  // nothing else was kept
    sheets.push_back(analyze::ranks_sheet(report.schedule));
    sheets.push_back(analyze::links_sheet(report.schedule, report.link_names));
    sheets.push_back(analyze::collective_kinds_sheet(report.sums->collectives()));
  } else {
    sheets = analyze::schedule_sheets(report.workload, report.schedule, report.link_names);
    if (invocation.has("per-node")) sheets.push_back(analyze::nodes_sheet(report.workload, report.schedule));
  }
  if (!report.schedule.link_series.empty()) {
    const std::vector<analyze::LinkUseRow> rows = analyze::link_use(report.schedule, report.link_names);
    sheets.push_back(analyze::link_use_sheet(rows, report.schedule.makespan_ps()));
  }
  if (report.phases != nullptr)
    sheets.push_back(analyze::phases_sheet(*report.phases, report.workload.strings, report.schedule.ranks.size()));
  if (!reasons.path.empty()) sheets.push_back(analyze::path_pieces_sheet(report.workload, reasons.path));
  if (!reasons.reactions.empty())
    sheets.push_back(analyze::reactions_sheet(reasons.reactions, report.schedule.makespan_ps()));
  if (report.pricing != nullptr)
    for (report::Sheet& sheet : analyze::pricing_sheets(*report.pricing)) sheets.push_back(std::move(sheet));
  if (invocation.has("waits")) {
    sheets.push_back(analyze::waits_sheet(reasons.waits, report.schedule.ranks.size()));
    sheets.push_back(analyze::late_ranks_sheet(reasons.waits));
  }
  return sheets;
}

}  // namespace

void report_simulation(Invocation& invocation, const SimulationReport& report,
                       const analyze::ScheduleReasons& reasons) {
  std::string& text = invocation.text();
  if (invocation.csv()) {
    text = report::to_csv(all_sheets(invocation, report, reasons));
    return;
  }
  if (invocation.json()) {
    JsonWriter& json = invocation.data();
    report::write_nanoseconds(json, "makespan_ns", report.schedule.makespan_ps());
    json.field("model", report.model);
    if (report.events > 0) json.field("events", report.events);  // only the simulators that are reproduced count them
    for (const report::Sheet& sheet : all_sheets(invocation, report, reasons)) write_sheet(json, sheet);
    return;
  }
  text = invocation.style().paint(report::Tone::strong, headline(report)) + "\n" +
         busiest(invocation, analyze::ranks_sheet(report.schedule), "finish", "ranks, done earlier");
  const auto add = [&](const std::string& table) { text += table.empty() ? "" : "\n" + table; };
  if (report.phases != nullptr)
    add(busiest(invocation,
                analyze::phases_sheet(*report.phases, report.workload.strings, report.schedule.ranks.size()), "",
                "phases"));
  const simulate::CollectiveSums sums =
      report.sums != nullptr ? report.sums->collectives() : analyze::sums_of(report.schedule);
  add(busiest(invocation, analyze::collective_kinds_sheet(sums), "", "kinds"));
  add(busiest(invocation, analyze::links_sheet(report.schedule, report.link_names), "busy", "links, less busy"));
  if (report.pricing != nullptr)
    for (const report::Sheet& sheet : analyze::pricing_sheets(*report.pricing)) add(to_text(sheet, invocation.view()));
  if (!reasons.path.empty()) text += path_text(invocation, report, reasons);
  if (invocation.has("waits")) text += waits_text(invocation, report, reasons.waits);
  if (invocation.has("per-node"))
    add(to_text(analyze::nodes_sheet(report.workload, report.schedule), invocation.view()));
}

}  // namespace orrery::cli
