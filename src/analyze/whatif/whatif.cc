#include "analyze/whatif/whatif.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "analyze/distribution.h"
#include "analyze/whatif/step_begins.h"

namespace orrery::analyze {
namespace {

using Restart = GraphEdits::Restart;

/// A job that goes back: it runs up to `at`, stands still, and runs again what lies behind `again`.
struct Replayed {
  TimePs at = 0;
  TimePs lasts = 0;
  TimePs again = 0;
};

/// When the first rank begins step `step` in this run.
TimePs begin_of_step(const causal::CausalGraph& job, const graph::Solution& run, std::uint32_t step) {
  const std::vector<std::vector<graph::Slot>> pieces = pieces_at_step_begins(job);
  TimePs earliest = run.length();
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) {
    const TimePs measured = std::max(job.ranks[rank].step_begin[step], job.ranks[rank].begins_at);
    const graph::Slot slot = pieces[rank][step];
    if (slot == graph::kNoSlot) {
      earliest = std::min(earliest, measured);
      continue;
    }
    // Within a piece that edits leave as it is, time passes as it did.
    const graph::NodeId source = job.graph.source(slot);
    earliest = std::min(earliest, run.finish(source) + measured - job.time[source]);
  }
  return earliest;
}

std::optional<Replayed> replayed(const causal::CausalGraph& job, const graph::Solution& run,
                                 const std::optional<Restart>& restart) {
  if (!restart) return std::nullopt;
  return Replayed{std::min(restart->at, run.length()), restart->lasts, begin_of_step(job, run, restart->step)};
}

/// How much of [begin, end) the job goes through, the second time included.
TimePs passed(TimePs begin, TimePs end, const std::optional<Replayed>& again) {
  if (!again) return end - begin;
  return std::max<TimePs>(0, std::min(end, again->at) - begin) +
         std::max<TimePs>(0, end - std::max(begin, again->again));
}

TimePs ends_at(TimePs end, const std::optional<Replayed>& again) {
  return again ? again->at + again->lasts + std::max<TimePs>(0, end - again->again) : end;
}

PathTimes path_times(const causal::CausalGraph& job, const SolvedJob& solved, const std::optional<Replayed>& again) {
  PathTimes times;
  times.device_type = job.reach.device_type();
  times.length = ends_at(solved.solution.length(), again);
  times.stopped = again ? again->lasts : 0;
  std::map<std::pair<causal::EdgeKind, StringId>, TimePs> classes;
  for (const graph::Slot slot : solved.solution.path().slots) {
    const TimePs begin = solved.solution.finish(job.graph.source(slot));
    const TimePs work = solved.unpaused.weight(slot);
    // A piece that a pause runs through is work first; what the rank stands still is behind it, wherever in between it
    // was.
    const TimePs on_path = passed(begin, begin + work, again);
    times.stopped += passed(begin + work, begin + solved.solution.weight(slot), again);
    const causal::PieceClass piece = job.class_of(slot);
    TimePs &of_kind = times.kinds[static_cast<std::size_t>(piece.kind)], &of_class = classes[{piece.kind, piece.name}];
    of_kind = plus_capped(of_kind, on_path);
    of_class = plus_capped(of_class, on_path);
  }
  for (const auto& [key, on_path] : classes) times.classes.push_back({{key.first, key.second}, on_path});
  return times;
}

/// The largest changes first; at most `top`.
std::vector<Move> moves_between(const PathTimes& before, const PathTimes& after, std::size_t top) {
  std::map<std::pair<causal::EdgeKind, StringId>, Move> by_class;
  for (const PathTimes::OfClass& of : before.classes)
    by_class[{of.piece.kind, of.piece.name}] = {of.piece, of.on_path, 0};
  for (const PathTimes::OfClass& of : after.classes) {
    Move& move = by_class[{of.piece.kind, of.piece.name}];
    move.piece = of.piece;
    move.after = of.on_path;
  }
  std::vector<Move> moves;
  for (const auto& [key, move] : by_class) {
    if (move.before != move.after) moves.push_back(move);
  }
  // What left the path and what came onto it count alike.
  std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) {
    return std::llabs(a.after - a.before) > std::llabs(b.after - b.before);
  });
  moves.resize(std::min(moves.size(), top));
  return moves;
}

}  // namespace

WhatIf compare_runs(const causal::CausalGraph& job, const graph::Solution& before, const graph::Solution& after,
                    std::size_t top) {
  WhatIf result{before,
                {after, after},
                path_times(job, {before, before}, std::nullopt),
                path_times(job, {after, after}, std::nullopt),
                {},
                {},
                0};
  result.moves = moves_between(result.before, result.after, top);
  for (const causal::JobRank& rank : job.ranks)
    result.ranks.push_back({before.finish(rank.end), after.finish(rank.end)});
  result.replayed = graph::solve(job.graph, job.end).length();
  return result;
}

SweepRow sweep_row(const causal::CausalGraph& job, double factor, const graph::Solution& run) {
  const PathTimes times = path_times(job, {run, run}, std::nullopt);
  return {factor, times.length, verdict(times)};
}

WhatIf what_if(const GraphEdits& edits, std::size_t top) {
  const causal::CausalGraph& job = edits.job();
  const graph::Solution unedited = graph::solve(job.graph, job.end);
  std::vector<PausedJob> scenario{{edits.weights(), edits.pauses()}};
  WhatIf result{unedited, solve_paused(job, std::move(scenario)).front(), {}, {}, {}, {}, 0};
  const graph::Solution& edited = result.edited.solution;
  const std::optional<Replayed> again = replayed(job, edited, edits.restart());
  result.before = path_times(job, {unedited, unedited}, std::nullopt);
  result.after = path_times(job, result.edited, again);
  result.moves = moves_between(result.before, result.after, top);
  result.replayed = unedited.length();
  for (const causal::JobRank& rank : job.ranks)
    result.ranks.push_back({unedited.finish(rank.end), ends_at(edited.finish(rank.end), again)});
  return result;
}

std::vector<SweepRow> sweep(const GraphEdits& edits, const std::vector<double>& factors) {
  const causal::CausalGraph& job = edits.job();
  std::vector<PausedJob> scenarios;
  scenarios.reserve(factors.size());
  for (const double factor : factors) scenarios.push_back({edits.weights(factor), edits.pauses(factor)});
  std::vector<SweepRow> rows;
  const std::vector<SolvedJob> solved = solve_paused(job, std::move(scenarios));
  for (std::size_t i = 0; i < solved.size(); ++i) {
    const PathTimes times = path_times(job, solved[i], replayed(job, solved[i].solution, edits.restart(factors[i])));
    rows.push_back({factors[i], times.length, verdict(times)});
  }
  return rows;
}

std::string verdict(const PathTimes& times) {
  return verdict(times.kinds, times.length, std::nullopt, times.device_type);
}

}  // namespace orrery::analyze
