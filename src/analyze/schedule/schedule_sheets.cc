#include "analyze/schedule/schedule_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analyze/path/path_sheets.h"
#include "base/percent.h"

// Sheets of a schedule come from three sources: the schedule itself (ranks, links, collectives, nodes), sums over it
// that may have been made while it ran (kinds, phases, waits), and its critical path.

namespace orrery::analyze {
namespace {

using report::Sheet;
using report::Type;
using report::Unit;
using workload::ActivityKind;

std::string_view piece_name(const workload::Workload& workload, simulate::ActivityPlace place) {
  const workload::Program& program = workload.program(place.rank);
  if (program.names[place.activity] != 0) return workload.strings.text(program.names[place.activity]);
  const ActivityKind kind = program.kinds[place.activity];
  return kind == ActivityKind::collective ? to_string(program.collectives[place.activity]) : to_string(kind);
}

/// What pieces of the path of one kind and name add up to.
struct PieceSum {
  TimePs time_ps = 0;
  std::size_t pieces = 0;
  std::set<std::uint32_t> ranks;
};
using PieceSort = std::pair<ActivityKind, std::string_view>;

/// Those with most of `time` first, equal ones in the order of their keys.
template <typename Key, typename Sum, typename Time>
std::vector<std::pair<Key, Sum>> largest_first(const std::map<Key, Sum>& sums, Time time) {
  std::vector<std::pair<Key, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [&](const auto& a, const auto& b) { return a.second.*time > b.second.*time; });
  return rows;
}

}  // namespace

std::size_t last_rank(const simulate::Schedule& schedule) {
  const auto sooner = [](const simulate::RankUse& a, const simulate::RankUse& b) { return a.finish_ps < b.finish_ps; };
  return static_cast<std::size_t>(std::max_element(schedule.ranks.begin(), schedule.ranks.end(), sooner) -
                                  schedule.ranks.begin());
}

Sheet ranks_sheet(const simulate::Schedule& schedule) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "finish", .type = Type::time, .unit = Unit::ns, .title = "finish"})
      .add({.name = "compute", .type = Type::time, .unit = Unit::ns, .title = "computing"})
      .add({.name = "exposed_comm", .type = Type::time, .unit = Unit::ns, .title = "exposed communication"})
      .add({.name = "exposed_comm_share", .type = Type::real, .unit = Unit::pct, .title = "share"});
  for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
    const simulate::RankUse& use = schedule.ranks[rank];
    sheet.add_row({rank, use.finish_ps, use.compute_ps, use.exposed_ps, share_percent(use.exposed_ps, use.finish_ps)});
  }
  return sheet;
}

Sheet links_sheet(const simulate::Schedule& schedule, std::span<const std::string> names) {
  Sheet sheet("links");
  sheet.add({.name = "link", .title = "busiest links"})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "carried"})
      .add({.name = "busy", .type = Type::time, .unit = Unit::ns, .title = "busy"})
      .add({.name = "busy_share", .type = Type::real, .unit = Unit::pct, .title = "share"})
      .add({.name = "peak_sharing", .type = Type::integer, .title = "peak concurrency"});
  const TimePs makespan = schedule.makespan_ps();
  for (std::size_t link = 0; link < names.size(); ++link) {
    if (schedule.link_bytes[link] == 0) continue;  // machines have many links, and most runs use few of them
    sheet.add_row({names[link], schedule.link_bytes[link], schedule.link_busy_ps[link],
                   share_percent(schedule.link_busy_ps[link], makespan), schedule.link_peak_sharing[link]});
  }
  return sheet;
}

Sheet collectives_sheet(const workload::Workload& workload, const simulate::Schedule& schedule) {
  Sheet sheet("collectives");
  sheet.add({.name = "kind"})
      .add({.name = "group"})
      .add({.name = "ranks", .type = Type::integer})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes})
      .add({.name = "groups", .type = Type::integer})
      .add({.name = "first_arrival", .type = Type::time, .unit = Unit::ns})
      .add({.name = "last_arrival", .type = Type::time, .unit = Unit::ns})
      .add({.name = "end", .type = Type::time, .unit = Unit::ns})
      .add({.name = "bus", .type = Type::real, .unit = Unit::gb_per_s});
  // Where all of them are by the links there is nothing to tell apart.
  const bool some_measured = std::any_of(schedule.collectives.begin(), schedule.collectives.end(),
                                         [](const simulate::CollectiveUse& use) { return use.is_measured; });
  if (some_measured) sheet.add({.name = "priced_by"});
  for (const simulate::CollectiveUse& use : schedule.collectives) {
    std::vector<report::Cell> cells = {workload::to_string(use.kind),
                                       workload.strings.text(use.group_name),
                                       use.ranks,
                                       use.bytes,
                                       use.instances,
                                       use.first_arrival_ps,
                                       use.last_arrival_ps,
                                       use.end_ps,
                                       simulate::bus_bytes_per_second(use) / 1e9};
    if (some_measured) cells.emplace_back(use.is_measured ? "measured" : "links");
    sheet.add_row(std::move(cells));
  }
  return sheet;
}

simulate::CollectiveSums sums_of(const simulate::Schedule& schedule) {
  simulate::CollectiveSums sums;
  for (const simulate::CollectiveUse& use : schedule.collectives) sums.add(use, use.instances);
  return sums;
}

Sheet collective_kinds_sheet(const simulate::CollectiveSums& sums) {
  Sheet sheet("collective_kinds");
  sheet.add({.name = "kind", .title = "collective"})
      .add({.name = "ranks", .type = Type::integer, .title = "ranks"})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "size"})
      .add({.name = "calls", .type = Type::integer, .title = "calls"})
      .add({.name = "mean_wait", .type = Type::time, .unit = Unit::ns, .title = "mean wait for the last"})
      .add({.name = "mean", .type = Type::time, .unit = Unit::ns, .title = "mean time"})
      .add({.name = "slowest_bus", .type = Type::real, .unit = Unit::gb_per_s, .title = "slowest bus bandwidth"});
  for (const auto& [kind, sum] : largest_first(sums.rows(), &simulate::CollectiveSum::moved_ps)) {
    sheet.add_row({workload::to_string(kind.kind), kind.ranks, kind.bytes, sum.calls, sum.mean_wait_ps(),
                   sum.mean_time_ps(), sum.slowest_bus_bytes_per_second / 1e9});
  }
  return sheet;
}

Sheet phases_sheet(const simulate::PhaseSums& phases, const Interner& strings, std::size_t ranks) {
  Sheet sheet("phases");
  sheet.add({.name = "phase", .title = "phase"})
      .add({.name = "mean", .type = Type::time, .unit = Unit::ns, .title = "mean of the ranks"})
      .add({.name = "longest", .type = Type::time, .unit = Unit::ns, .title = "longest"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true})
      .add({.name = "activities", .type = Type::integer, .title = "activities"});
  const std::map<StringId, simulate::PhaseSum> sums = phases.sums();
  TimePs all = 0;
  for (const auto& [name, sum] : sums) all += sum.all_ps;
  std::vector<std::pair<StringId, simulate::PhaseSum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.all_ps > b.second.all_ps; });
  for (const auto& [name, sum] : rows) {
    if (name == 0 && sum.all_ps == 0) continue;  // joins between phases, which have no name and take no time
    sheet.add_row({name == 0 ? std::string_view("other") : strings.text(name),
                   sum.all_ps / static_cast<TimePs>(std::max<std::size_t>(1, ranks)), sum.longest_ps,
                   share_percent(sum.all_ps, all), sum.activities});
  }
  return sheet;
}

Sheet nodes_sheet(const workload::Workload& workload, const simulate::Schedule& schedule) {
  Sheet sheet("nodes");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "id", .type = Type::integer, .title = "node", .decimals = report::kExact})
      .add({.name = "start", .type = Type::time, .unit = Unit::ns, .title = "start"})
      .add({.name = "end", .type = Type::time, .unit = Unit::ns, .title = "end"});
  std::size_t activity = 0;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i, ++activity)
      sheet.add_row({rank, program.ids[i], schedule.start_ps[activity], schedule.end_ps[activity]});
  }
  return sheet;
}

Sheet path_pieces_sheet(const workload::Workload& workload, std::span<const simulate::PathPiece> path) {
  Sheet sheet("path");
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "id", .type = Type::integer})
      .add({.name = "name"})
      .add({.name = "kind"})
      .add({.name = "start", .type = Type::time, .unit = Unit::ns})
      .add({.name = "end", .type = Type::time, .unit = Unit::ns})
      .add({.name = "after"});
  for (const simulate::PathPiece& piece : path) {
    const workload::Program& program = workload.program(piece.place.rank);
    sheet.add_row({piece.place.rank, program.ids[piece.place.activity], piece_name(workload, piece.place),
                   to_string(program.kinds[piece.place.activity]), piece.from_ps, piece.to_ps,
                   simulate::to_string(piece.then)});
  }
  return sheet;
}

Sheet path_parts_sheet(const workload::Workload& workload, std::span<const simulate::PathPiece> path, TimePs makespan) {
  std::map<PieceSort, PieceSum> sums;
  for (const simulate::PathPiece& piece : path) {
    PieceSum& sum =
        sums[{workload.program(piece.place.rank).kinds[piece.place.activity], piece_name(workload, piece.place)}];
    sum.time_ps += piece.to_ps - piece.from_ps;
    sum.ranks.insert(piece.place.rank);
    ++sum.pieces;
  }
  Sheet sheet("path_parts");
  sheet.add({.name = "name", .title = "on the critical path"})
      .add({.name = "kind", .title = "what"})
      .add({.name = "ranks", .type = Type::integer, .title = "ranks"})
      .add({.name = "pieces", .type = Type::integer, .title = "segments"})
      .add({.name = "time", .type = Type::time, .unit = Unit::ns, .title = "time"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share"});
  for (const auto& [sort, sum] : largest_first(sums, &PieceSum::time_ps))
    sheet.add_row({sort.second, to_string(sort.first), sum.ranks.size(), sum.pieces, sum.time_ps,
                   share_percent(sum.time_ps, makespan)});
  return sheet;
}

Sheet reactions_sheet(std::span<const Reaction> reactions, TimePs makespan) {
  Sheet sheet("reactions");
  sheet.add({.name = "what", .title = "sensitivity of the makespan to"})
      .add({.name = "group", .title = "group"})
      .add({.name = "pieces", .type = Type::integer, .title = "segments"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::ns, .title = "on the path"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share"})
      .add({.name = "least_slack", .type = Type::time, .unit = Unit::ns, .title = "least slack"})
      .add({.name = fmt::format("makespan_{}_pct_less", kLessPercent),
            .type = Type::time,
            .unit = Unit::ns,
            .title = fmt::format("if it took {} % less", kLessPercent)})
      .add({.name = "change", .type = Type::real, .unit = Unit::pct, .title = "change", .is_change = true});
  for (const Reaction& row : reactions) {
    sheet.add_row({row.what, row.group.empty() ? report::Cell(nullptr) : report::Cell(row.group), row.pieces,
                   row.on_path_ps, share_percent(row.on_path_ps, makespan), slack_cell(row.least_slack_ps),
                   row.less_makespan_ps, share_percent(row.less_makespan_ps - makespan, makespan)});
  }
  return sheet;
}

Sheet waits_sheet(const simulate::WaitSums& waits, std::size_t ranks) {
  Sheet sheet("waits");
  sheet.add({.name = "cause", .title = "waited for"})
      .add({.name = "kind", .title = "what waited"})
      .add({.name = "activities", .type = Type::integer, .title = "activities"})
      .add({.name = "mean_wait", .type = Type::time, .unit = Unit::ns, .title = "mean wait"})
      .add({.name = "longest_wait", .type = Type::time, .unit = Unit::ns, .title = "longest wait"})
      .add({.name = "wait_per_rank", .type = Type::time, .unit = Unit::ns, .title = "in all, per rank"});
  for (const auto& [kind, sum] : largest_first(waits.rows(), &simulate::WaitSum::waited_ps)) {
    const bool is_collective = kind.kind == ActivityKind::collective;
    sheet.add_row({simulate::to_string(kind.cause), is_collective ? to_string(kind.collective) : to_string(kind.kind),
                   sum.activities, sum.mean_ps(), sum.longest_ps,
                   static_cast<TimePs>(sum.waited_ps / static_cast<Int128>(std::max<std::size_t>(ranks, 1)))});
  }
  return sheet;
}

Sheet late_ranks_sheet(const simulate::WaitSums& waits) {
  const std::map<std::uint32_t, simulate::WaitSum> late = waits.late_ranks();
  Int128 total = 0;
  for (const auto& [rank, sum] : late) total += sum.waited_ps;
  Sheet sheet("late_ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "others waited for rank", .decimals = report::kExact})
      .add({.name = "waits", .type = Type::integer, .title = "waits"})
      .add({.name = "mean_wait", .type = Type::time, .unit = Unit::ns, .title = "mean wait"})
      .add({.name = "longest_wait", .type = Type::time, .unit = Unit::ns, .title = "longest wait"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share"});
  for (const auto& [rank, sum] : largest_first(late, &simulate::WaitSum::waited_ps)) {
    sheet.add_row({rank, sum.activities, sum.mean_ps(), sum.longest_ps, share_percent(sum.waited_ps, total)});
  }
  return sheet;
}

}  // namespace orrery::analyze
