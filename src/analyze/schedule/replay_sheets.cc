#include "analyze/schedule/replay_sheets.h"

#include <fmt/format.h>

#include "base/percent.h"

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

std::string_view departed_name(const ReplayAnswer& answer, const Departure& departure) {
  const workload::Program& program = answer.workload.program(departure.rank);
  const StringId name = program.names[departure.activity];
  return name != 0 ? answer.workload.strings.text(name) : to_string(program.kinds[departure.activity]);
}

}  // namespace

Sheet replayed_ranks_sheet(const ReplayAnswer& answer) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "nodes", .type = Type::integer})
      .add({.name = "begin", .type = Type::time, .unit = Unit::us})
      .add({.name = "finish", .type = Type::time, .unit = Unit::us})
      .add({.name = "replayed", .type = Type::time, .unit = Unit::us, .title = "replayed"})
      .add({.name = "recorded", .type = Type::time, .unit = Unit::us, .title = "recorded"})
      .add({.name = "residual",
            .type = Type::real,
            .unit = Unit::pct,
            .title = "residual",
            .is_change = true,
            .decimals = 2})
      .add({.name = "compute", .type = Type::time, .unit = Unit::us, .title = "computing"})
      .add({.name = "communication", .type = Type::time, .unit = Unit::us})
      .add({.name = "exposed_comm", .type = Type::time, .unit = Unit::us, .title = "exposed communication"})
      .add({.name = "exposed_comm_share", .type = Type::real, .unit = Unit::pct, .title = "share"});
  for (std::size_t r = 0; r < answer.summary.ranks.size(); ++r) {
    const RankReplay& replay = answer.summary.ranks[r];
    const simulate::RankUse& use = answer.schedule.ranks[r];
    // A recording of no length is none: a residual against it would be a division by nothing.
    const bool is_recorded = replay.recorded_ps != 0;
    sheet.add_row({answer.rank_numbers[r], answer.workload.program(r).size(), replay.begin_ps, use.finish_ps,
                   replay.replayed_ps, is_recorded ? Cell(replay.recorded_ps) : Cell(nullptr),
                   is_recorded ? Cell(residual_percent(replay)) : Cell(nullptr), use.compute_ps, use.communication_ps,
                   use.exposed_ps, share_percent(use.exposed_ps, replay.replayed_ps)});
  }
  return sheet;
}

Sheet lanes_sheet(const ReplayAnswer& answer, std::optional<std::size_t> only) {
  Sheet sheet("lanes");
  const std::string title = only ? fmt::format("of rank {}", answer.rank_numbers[*only]) : "thread or stream";
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "lane", .title = title})
      .add({.name = "activities", .type = Type::integer, .title = "activities"})
      .add({.name = "busy", .type = Type::time, .unit = Unit::us, .title = "busy"})
      .add({.name = "busy_share", .type = Type::real, .unit = Unit::pct, .title = "share"});
  for (std::size_t r = 0; r < answer.summary.ranks.size(); ++r) {
    if (only && *only != r) continue;
    const RankReplay& replay = answer.summary.ranks[r];
    for (const LaneUse& lane : replay.lanes) {
      sheet.add_row({answer.rank_numbers[r], workload::lane_name({lane.kind, lane.number}), lane.activities,
                     lane.busy_ps, share_percent(lane.busy_ps, replay.replayed_ps)});
    }
  }
  return sheet;
}

Sheet departures_sheet(const ReplayAnswer& answer) {
  Sheet sheet("departures");
  sheet.add({.name = "name", .title = "departs most from the recording"})
      .add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "id", .type = Type::integer, .title = "node", .decimals = report::kExact})
      .add({.name = "recorded_start", .type = Type::time, .unit = Unit::us, .title = "recorded start"})
      .add({.name = "replayed_start", .type = Type::time, .unit = Unit::us})
      .add({.name = "off", .type = Type::time, .unit = Unit::us, .title = "off by", .is_change = true})
      .add({.name = "arises", .type = Type::time, .unit = Unit::us, .title = "arises here", .is_change = true});
  for (const Departure& departure : answer.summary.departures) {
    sheet.add_row({departed_name(answer, departure), answer.rank_numbers[departure.rank],
                   answer.workload.program(departure.rank).ids[departure.activity], departure.recorded_ps,
                   departure.replayed_ps, departure.replayed_ps - departure.recorded_ps, departure.arises_ps});
  }
  return sheet;
}

}  // namespace orrery::analyze
