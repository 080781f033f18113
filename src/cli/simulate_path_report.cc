#include "cli/simulate_path_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/report_rows.h"
#include "report/table.h"

namespace orrery::cli {
namespace {

using report::Align;
using simulate::PathPiece;
using workload::ActivityKind;

std::string path_piece_name(const workload::Workload& workload, simulate::ActivityPlace place) {
  const workload::Program& program = workload.program(place.rank);
  if (program.names[place.activity] != 0) return std::string(workload.strings.text(program.names[place.activity]));
  const ActivityKind kind = program.kinds[place.activity];
  return std::string(kind == ActivityKind::collective ? to_string(program.collectives[place.activity]) : to_string(kind));
}

/// What pieces of one name and kind add up to.
struct PieceSum {
  TimePs time_ps = 0;
  std::size_t pieces = 0;
  std::set<std::uint32_t> ranks;
};

void write_path(JsonWriter& json, const workload::Workload& workload, std::span<const PathPiece> path) {
  json.key("path").begin_array();
  for (const PathPiece& piece : path) {
    const workload::Program& program = workload.program(piece.place.rank);
    json.begin_object().field("rank", piece.place.rank).field("id", program.ids[piece.place.activity]);
    json.field("name", path_piece_name(workload, piece.place)).field("kind", to_string(program.kinds[piece.place.activity]));
    nanoseconds(json, "start_ns", piece.from_ps);
    nanoseconds(json, "end_ns", piece.to_ps);
    json.field("after", simulate::to_string(piece.then)).end_object();
  }
  json.end_array();
}

}  // namespace

void report_simulated_path(Invocation& invocation, const SimulationReport& report, std::span<const PathPiece> path) {
  if (invocation.json()) return write_path(invocation.data(), report.workload, path);
  std::map<std::pair<ActivityKind, std::string>, PieceSum> sums;
  std::size_t changes = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const PathPiece& piece = path[i];
    PieceSum& sum =
        sums[{report.workload.program(piece.place.rank).kinds[piece.place.activity], path_piece_name(report.workload, piece.place)}];
    sum.time_ps += piece.to_ps - piece.from_ps;
    sum.ranks.insert(piece.place.rank);
    ++sum.pieces;
    if (i > 0 && path[i - 1].place.rank != piece.place.rank) ++changes;
  }
  std::vector<std::pair<std::pair<ActivityKind, std::string>, PieceSum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second.time_ps > b.second.time_ps; });
  const TimePs makespan = report.schedule.makespan_ps();
  report::Table table({{"on the critical path", Align::left},
                       {"what", Align::left},
                       {"ranks", Align::right},
                       {"pieces", Align::right},
                       {"time", Align::right}});
  for (std::size_t i = 0; i < std::min(rows.size(), kShownRows); ++i) {
    const auto& [what, sum] = rows[i];
    table.add_row({what.second, std::string(to_string(what.first)), format_count(sum.ranks.size()), format_count(sum.pieces),
                   fmt::format("{} ({:.1f} %)", format_duration(sum.time_ps), share(sum.time_ps, makespan))});
  }
  invocation.text() +=
      fmt::format("\nThe critical path has {} pieces and changes ranks {} times.\n", format_count(path.size()), format_count(changes)) +
      table.render(invocation.columns(), invocation.style()) + rest(rows.size() > kShownRows ? rows.size() - kShownRows : 0, "kinds");
}

}  // namespace orrery::cli
