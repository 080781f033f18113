#include "cli/simulate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "analyze/schedule_sheets.h"
#include "cli/report_rows.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/table.h"

namespace orrery::cli {
namespace {

using report::Align;
using simulate::CollectiveUse;
using simulate::RankUse;

void write_nodes(JsonWriter& json, const SimulationReport& report) {
  json.key("nodes").begin_array();
  std::size_t activity = 0;
  for (std::size_t rank = 0; rank < report.workload.rank_count(); ++rank) {
    const workload::Program& program = report.workload.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i, ++activity) {
      json.begin_object().field("rank", rank).field("id", program.ids[i]);
      nanoseconds(json, "start_ns", report.schedule.start_ps[activity]);
      nanoseconds(json, "end_ns", report.schedule.end_ps[activity]);
      json.end_object();
    }
  }
  json.end_array();
}

std::string headline(const SimulationReport& report) {
  const auto& ranks = report.schedule.ranks;
  const auto sooner = [](const RankUse& a, const RankUse& b) { return a.finish_ps < b.finish_ps; };
  const auto* const latest = std::max_element(ranks.begin(), ranks.end(), sooner);
  const auto* const earliest = std::min_element(ranks.begin(), ranks.end(), sooner);
  std::string text =
      fmt::format("{} ranks finish in {} ({})", format_count(ranks.size()), format_duration(latest->finish_ps), report.model);
  text += fmt::format(": {:.1f} % of the last rank's time is communication that no computation hides",
                      share(latest->exposed_ps, latest->finish_ps));
  if (earliest->finish_ps != latest->finish_ps) {
    text += fmt::format("; rank {} is done first, after {}", earliest - ranks.begin(), format_duration(earliest->finish_ps));
  }
  return text + ".\n";
}

std::string rank_table(const Invocation& invocation, const SimulationReport& report) {
  const auto& ranks = report.schedule.ranks;
  const auto key = [&](std::size_t r) { return std::tuple(ranks[r].finish_ps, ranks[r].compute_ps, ranks[r].exposed_ps); };
  std::size_t left_out = 0;
  const auto rows = group_alike(
      ranks.size(), key, [&](std::size_t r) { return ranks[r].finish_ps; }, left_out);
  report::Table table(
      {{"rank", Align::left}, {"finish", Align::right}, {"computing", Align::right}, {"exposed communication", Align::right}});
  for (const Alike& row : rows) {
    const RankUse& use = ranks[row.first];
    table.add_row({numbers_alike(row, row.first, row.last), format_duration(use.finish_ps), format_duration(use.compute_ps),
                   fmt::format("{} ({:.1f} %)", format_duration(use.exposed_ps), share(use.exposed_ps, use.finish_ps))});
  }
  return table.render(invocation.columns(), invocation.style()) + rest(left_out, "ranks, done earlier");
}

std::string link_table(const Invocation& invocation, const SimulationReport& report) {
  const auto& schedule = report.schedule;
  const TimePs makespan = schedule.makespan_ps();
  const auto key = [&](std::size_t i) {
    return std::tuple(schedule.link_bytes[i], schedule.link_busy_ps[i], schedule.link_peak_sharing[i]);
  };
  std::size_t left_out = 0;
  const auto rows = group_alike(
      schedule.link_count(), key, [&](std::size_t i) { return schedule.link_busy_ps[i]; }, left_out);
  report::Table table(
      {{"busiest links", Align::left}, {"carried", Align::right}, {"busy", Align::right}, {"at most at once", Align::right}});
  for (const Alike& row : rows) {
    if (schedule.link_bytes[row.first] == 0) continue;
    table.add_row(
        {and_more(report.link_names[row.first], row.count), format_bytes(schedule.link_bytes[row.first]),
         fmt::format("{} ({:.1f} %)", format_duration(schedule.link_busy_ps[row.first]), share(schedule.link_busy_ps[row.first], makespan)),
         std::to_string(schedule.link_peak_sharing[row.first])});
  }
  return table.render(invocation.columns(), invocation.style()) + rest(left_out, "links, less busy");
}

/// Collectives of one kind, group size and size.
struct CollectiveSum {
  std::size_t calls = 0;
  TimePs waited_ps = 0, moved_ps = 0;
  double slowest = 0;  ///< bus bytes per second
};

std::string collective_table(const Invocation& invocation, const SimulationReport& report) {
  std::map<std::tuple<workload::Collective, std::uint32_t, std::int64_t>, CollectiveSum> sums;
  for (const CollectiveUse& use : report.schedule.collectives) {
    CollectiveSum& sum = sums[{use.kind, use.ranks, use.bytes}];
    const double rate = simulate::bus_bytes_per_second(use);
    sum.slowest = sum.calls == 0 ? rate : std::min(sum.slowest, rate);
    sum.calls += use.instances;
    sum.waited_ps += static_cast<TimePs>(use.instances) * (use.last_arrival_ps - use.first_arrival_ps);
    sum.moved_ps += static_cast<TimePs>(use.instances) * (use.end_ps - use.last_arrival_ps);
  }
  std::vector<std::pair<std::tuple<workload::Collective, std::uint32_t, std::int64_t>, CollectiveSum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second.moved_ps > b.second.moved_ps; });
  report::Table table({{"collective", Align::left},
                       {"ranks", Align::right},
                       {"size", Align::right},
                       {"calls", Align::right},
                       {"mean wait for the last", Align::right},
                       {"mean time", Align::right},
                       {"slowest bus bandwidth", Align::right}});
  for (std::size_t i = 0; i < std::min(rows.size(), kShownRows); ++i) {
    const auto& [kind, ranks, bytes] = rows[i].first;
    const CollectiveSum& sum = rows[i].second;
    const auto calls = static_cast<TimePs>(sum.calls);
    table.add_row({std::string(workload::to_string(kind)), std::to_string(ranks), format_bytes(static_cast<std::uint64_t>(bytes)),
                   format_count(sum.calls), format_duration(sum.waited_ps / calls), format_duration(sum.moved_ps / calls),
                   fmt::format("{:.2f} GB/s", sum.slowest / 1e9)});
  }
  return table.render(invocation.columns(), invocation.style()) + rest(rows.size() > kShownRows ? rows.size() - kShownRows : 0, "kinds");
}

}  // namespace

void report_simulation(Invocation& invocation, const SimulationReport& report) {
  if (invocation.json()) {
    JsonWriter& json = invocation.data();
    nanoseconds(json, "makespan_ns", report.schedule.makespan_ps());
    json.field("model", report.model);
    if (report.events > 0) json.field("events", report.events);
    write_sheet(json, analyze::ranks_sheet(report.schedule));
    if (invocation.has("per-node")) write_nodes(json, report);
    write_sheet(json, analyze::links_sheet(report.schedule, report.link_names));
    write_sheet(json, analyze::collectives_sheet(report.workload, report.schedule));
    return;
  }
  if (invocation.has("csv")) {
    invocation.text() = report::to_csv(analyze::schedule_sheets(report.workload, report.schedule, report.link_names));
    return;
  }
  std::string& text = invocation.text();
  text = invocation.style().paint(report::Tone::strong, headline(report)) + "\n" + rank_table(invocation, report);
  if (!report.schedule.collectives.empty()) text += "\n" + collective_table(invocation, report);
  if (!report.link_names.empty()) text += "\n" + link_table(invocation, report);
}

}  // namespace orrery::cli
