#include "cli/replay_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "cli/report_rows.h"
#include "report/table.h"

namespace orrery::cli {
namespace {

using analyze::Departure;
using analyze::LaneUse;
using analyze::RankReplay;
using report::Align;
using simulate::RankUse;

// The rank that ends last; of equal ones the first.
std::size_t last_rank(const ReplayReport& report) {
  const auto& ranks = report.schedule.ranks;
  const auto sooner = [](const RankUse& a, const RankUse& b) { return a.finish_ps < b.finish_ps; };
  return static_cast<std::size_t>(std::max_element(ranks.begin(), ranks.end(), sooner) - ranks.begin());
}

std::string signed_duration(TimePs ps) { return ps < 0 ? "-" + format_duration(-ps) : "+" + format_duration(ps); }

std::string residual_text(const RankReplay& rank) {
  return rank.recorded_ps == 0 ? "unknown" : fmt::format("{:+.2f} %", analyze::residual_percent(rank));
}

std::string headline(const ReplayReport& report) {
  const std::size_t last = last_rank(report);
  const RankReplay& rank = report.summary.ranks[last];
  const std::size_t count = report.summary.ranks.size();
  std::string text = count == 1 ? fmt::format("Rank {} replays", report.rank_numbers[0])
                                : fmt::format("{} ranks replay{}", format_count(count), report.alone ? ", each on its own," : " together");
  text += fmt::format(" in {}", format_duration(report.schedule.makespan_ps()));
  if (count > 1) text += fmt::format("; the last is rank {}", report.rank_numbers[last]);
  if (rank.recorded_ps != 0) {
    text += fmt::format(": {} where {} was recorded ({})", format_duration(rank.replayed_ps), format_duration(rank.recorded_ps),
                        residual_text(rank));
  }
  const RankUse& use = report.schedule.ranks[last];
  if (use.communication_ps == 0) return text + ".\n";
  return text + fmt::format(". {:.1f} % of that is communication that no computation hides.\n", share(use.exposed_ps, rank.replayed_ps));
}

std::string rank_table(const Invocation& invocation, const ReplayReport& report) {
  const auto& ranks = report.summary.ranks;
  const auto& uses = report.schedule.ranks;
  const auto key = [&](std::size_t r) {
    return std::tuple(ranks[r].begin_ps, ranks[r].replayed_ps, ranks[r].recorded_ps, uses[r].compute_ps, uses[r].exposed_ps);
  };
  std::size_t left_out = 0;
  const auto rows = group_alike(
      ranks.size(), key, [&](std::size_t r) { return uses[r].finish_ps; }, left_out);
  report::Table table({{"rank", Align::left},
                       {"replayed", Align::right},
                       {"recorded", Align::right},
                       {"residual", Align::right},
                       {"computing", Align::right},
                       {"exposed communication", Align::right}});
  for (const Alike& row : rows) {
    const RankReplay& rank = ranks[row.first];
    const RankUse& use = uses[row.first];
    table.add_row({numbers_alike(row, report.rank_numbers[row.first], report.rank_numbers[row.last]), format_duration(rank.replayed_ps),
                   rank.recorded_ps == 0 ? "unknown" : format_duration(rank.recorded_ps), residual_text(rank),
                   format_duration(use.compute_ps),
                   fmt::format("{} ({:.1f} %)", format_duration(use.exposed_ps), share(use.exposed_ps, rank.replayed_ps))});
  }
  return table.render(invocation.columns(), invocation.style()) + rest(left_out, "ranks, done earlier");
}

// The busiest threads and streams, or all of them, in order.
std::string lane_table(const Invocation& invocation, const ReplayReport& report, std::size_t rank, bool all) {
  const RankReplay& replay = report.summary.ranks[rank];
  std::vector<TimePs> busy;
  for (const LaneUse& lane : replay.lanes) busy.push_back(lane.busy_ps);
  std::sort(busy.begin(), busy.end(), std::greater<>());
  const TimePs least = all || busy.size() <= kShownRows ? 0 : busy[kShownRows - 1];
  report::Table table({{fmt::format("of rank {}", report.rank_numbers[rank]), Align::left},
                       {"activities", Align::right},
                       {"busy", Align::right},
                       {"share", Align::right}});
  for (const LaneUse& lane : replay.lanes) {
    if (lane.busy_ps < least) continue;
    table.add_row({analyze::lane_name({lane.kind, lane.number}), format_count(lane.activities), format_duration(lane.busy_ps),
                   fmt::format("{:.1f} %", share(lane.busy_ps, replay.replayed_ps))});
  }
  return "\n" + table.render(invocation.columns(), invocation.style()) +
         rest(replay.lanes.size() - table.rows(), "threads and streams, less busy");
}

std::string_view name_of(const ReplayReport& report, const Departure& departure) {
  const workload::Program& program = report.workload.program(departure.rank);
  const StringId name = program.names[departure.activity];
  return name != 0 ? report.workload.strings.text(name) : to_string(program.kinds[departure.activity]);
}

std::string departure_table(const Invocation& invocation, const ReplayReport& report) {
  report::Table table({{"departs most from the recording", Align::left},
                       {"rank", Align::right},
                       {"node", Align::right},
                       {"recorded start", Align::right},
                       {"off by", Align::right},
                       {"arises here", Align::right}});
  for (const Departure& departure : report.summary.departures) {
    table.add_row({std::string(name_of(report, departure)), std::to_string(report.rank_numbers[departure.rank]),
                   std::to_string(report.workload.program(departure.rank).ids[departure.activity]), format_duration(departure.recorded_ps),
                   signed_duration(departure.replayed_ps - departure.recorded_ps), signed_duration(departure.arises_ps)});
  }
  return "\n" + table.render(invocation.columns(), invocation.style());
}

void write_rank(JsonWriter& json, const ReplayReport& report, std::size_t rank) {
  const RankReplay& replay = report.summary.ranks[rank];
  const RankUse& use = report.schedule.ranks[rank];
  json.begin_object().field("rank", report.rank_numbers[rank]).field("nodes", report.workload.program(rank).size());
  nanoseconds(json, "begin_ns", replay.begin_ps);
  nanoseconds(json, "replayed_ns", replay.replayed_ps);
  if (replay.recorded_ps == 0) json.key("recorded_ns").null().key("residual_pct").null();
  else nanoseconds(json, "recorded_ns", replay.recorded_ps), json.field("residual_pct", analyze::residual_percent(replay));
  nanoseconds(json, "compute_ns", use.compute_ps);
  nanoseconds(json, "communication_ns", use.communication_ps);
  nanoseconds(json, "exposed_comm_ns", use.exposed_ps);
  json.key("lanes").begin_array();
  for (const LaneUse& lane : replay.lanes) {
    json.begin_object().field("lane", analyze::lane_name({lane.kind, lane.number})).field("activities", lane.activities);
    nanoseconds(json, "busy_ns", lane.busy_ps);
    json.end_object();
  }
  json.end_array().end_object();
}

void write_departures(JsonWriter& json, const ReplayReport& report) {
  json.key("departures").begin_array();
  for (const Departure& departure : report.summary.departures) {
    json.begin_object().field("rank", report.rank_numbers[departure.rank]);
    json.field("id", report.workload.program(departure.rank).ids[departure.activity]).field("name", name_of(report, departure));
    nanoseconds(json, "recorded_start_ns", departure.recorded_ps);
    nanoseconds(json, "replayed_start_ns", departure.replayed_ps);
    nanoseconds(json, "arises_ns", departure.arises_ps);
    json.end_object();
  }
  json.end_array();
}

void write_json(JsonWriter& json, const ReplayReport& report) {
  nanoseconds(json, "makespan_ns", report.schedule.makespan_ps());
  json.field("alone", report.alone).key("ranks").begin_array();
  for (std::size_t rank = 0; rank < report.summary.ranks.size(); ++rank) write_rank(json, report, rank);
  json.end_array();
  write_departures(json, report);
}

}  // namespace

void report_replay(Invocation& invocation, const ReplayReport& report) {
  if (invocation.json()) return write_json(invocation.data(), report);
  std::string& text = invocation.text();
  text = invocation.style().paint(report::Tone::strong, headline(report)) + "\n" + rank_table(invocation, report);
  if (!invocation.verbose()) {
    text += lane_table(invocation, report, last_rank(report), false);
    return;
  }
  for (std::size_t rank = 0; rank < report.summary.ranks.size(); ++rank) text += lane_table(invocation, report, rank, true);
  if (!report.summary.departures.empty()) text += departure_table(invocation, report);
}

}  // namespace orrery::cli
