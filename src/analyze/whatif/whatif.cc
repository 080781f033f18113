#include "analyze/whatif/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "analyze/distribution.h"
#include "analyze/whatif/edit_selector.h"
#include "base/packed.h"
#include "base/parallel.h"
#include "base/percent.h"
#include "graph/solve_many.h"

namespace orrery::analyze {
using causal::EdgeKind;
using report::Sheet;
using report::Type;
using report::Unit;

Sheet edits_sheet(const GraphEdits& edits) {
  Sheet sheet("edits");
  sheet.add({.name = "edit", .title = "edit"}).add({.name = "edges", .type = Type::integer, .title = "segments"});
  // Only of edits that hold work against the device: others have nothing to price.
  sheet.add({.name = "unpriced", .type = Type::integer});
  for (std::size_t i = 0; i < edits.edits().size(); ++i) {
    const std::uint64_t selected = edits.selections()[i].count();
    const auto* rule = std::get_if<EditRule>(&edits.edits()[i]);
    const bool is_priced = rule != nullptr && rule->asks_device();
    sheet.add_row({text_of(edits.edits()[i]), selected,
                   is_priced ? report::Cell(edits.selections()[i].unpriced) : report::Cell(nullptr)},
                  selected == 0 ? report::Tone::warning : report::Tone::plain);
  }
  return sheet;
}

Sheet changed_bounds_sheet(const WhatIf& result) {
  const std::span<const TimePs> before = result.before.kinds, after = result.after.kinds;
  const TimePs stopped = result.after.stopped;
  Sheet sheet("bound_by");
  sheet.add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "on the path", .people_only = true})
      .add({.name = "before", .type = Type::time, .unit = Unit::us, .title = "before"})
      .add({.name = "after", .type = Type::time, .unit = Unit::us, .title = "after"})
      .add({.name = "change", .type = Type::time, .unit = Unit::us, .title = "change", .is_change = true});
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (before[k] == 0 && after[k] == 0) continue;
    const auto kind = static_cast<EdgeKind>(k);
    sheet.add_row({identifier(kind), to_string(kind), before[k], after[k], after[k] - before[k]});
  }
  if (stopped != 0) sheet.add_row({"stopped", "stopped", 0, stopped, stopped});
  return sheet;
}

Sheet moves_sheet(const causal::CausalGraph& job, const WhatIf& result) {
  Sheet sheet("moves");
  sheet.add({.name = "label", .title = "what moved", .people_only = true})
      .add({.name = "kind"})
      .add({.name = "kind_in_words", .title = "kind", .people_only = true})
      .add({.name = "name"})
      .add({.name = "before", .type = Type::time, .unit = Unit::us, .title = "before"})
      .add({.name = "after", .type = Type::time, .unit = Unit::us, .title = "after"})
      .add({.name = "change", .type = Type::time, .unit = Unit::us, .title = "change", .is_change = true});
  for (const Move& move : result.moves) {
    const auto [kind, text] = move.piece;
    const std::string_view name = job.strings.text(text);
    const std::string kind_in_brackets = fmt::format("({})", to_string(kind));
    const bool is_named = text != 0;
    sheet.add_row({is_named ? name : std::string_view(kind_in_brackets), identifier(kind), to_string(kind),
                   is_named ? report::Cell(name) : report::Cell(nullptr), move.before, move.after,
                   move.after - move.before});
  }
  return sheet;
}

Sheet ranks_sheet(const causal::CausalGraph& job, const WhatIf& result) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "before", .type = Type::time, .unit = Unit::us, .title = "before"})
      .add({.name = "after", .type = Type::time, .unit = Unit::us, .title = "after"});
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank)
    sheet.add_row({job.ranks[rank].rank, result.ranks[rank].before, result.ranks[rank].after});
  return sheet;
}

Sheet sweep_sheet(TimePs unedited, std::span<const SweepRow> rows) {
  Sheet sheet("sweep");
  sheet.add({.name = "factor", .type = Type::real, .title = "factor", .decimals = report::kExact})
      .add({.name = "step", .type = Type::time, .unit = Unit::us, .title = "step"})
      .add({.name = "change", .type = Type::real, .unit = Unit::pct, .title = "change", .is_change = true})
      .add({.name = "verdict", .title = "bound by"});
  for (const SweepRow& row : rows)
    sheet.add_row({row.factor, row.length, change_percent(unedited, row.length), row.verdict});
  return sheet;
}

std::string row_to_bytes(const SweepRow& row) {
  return PackedWriter().real(row.factor).integer(row.length).text(row.verdict).take();
}

Result<std::vector<SweepRow>> rows_from_bytes(std::span<const std::string> answers) {
  std::vector<SweepRow> rows;
  for (const std::string& answer : answers) {
    PackedReader reader(answer);
    SweepRow& row = rows.emplace_back();
    row.factor = reader.real();
    row.length = reader.integer();
    row.verdict = reader.text();
    if (!reader.ok() || !reader.at_end())
      return Error{"a point of the sweep cannot be read", {}, Error::kNoOffset, "remove the checkpoint"};
  }
  return rows;
}

std::size_t FactorSweep::smallest_batch() const { return graph::kSolvedAtOnce; }

std::vector<Result<std::string>> FactorSweep::solve(std::span<const std::size_t> points) const {
  const std::size_t groups = (points.size() + graph::kSolvedAtOnce - 1) / graph::kSolvedAtOnce;
  std::vector<std::optional<Result<std::vector<SweepRow>>>> solved(groups);
  parallel_for(groups, [&](std::size_t g) {
    std::vector<double> factors;
    for (std::size_t i = g * graph::kSolvedAtOnce; i < std::min(points.size(), (g + 1) * graph::kSolvedAtOnce); ++i)
      factors.push_back(factors_[points[i]]);
    solved[g] = rows_of_(factors);
  });
  std::vector<Result<std::string>> answers;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Result<std::vector<SweepRow>>& rows = *solved[i / graph::kSolvedAtOnce];
    if (rows) answers.emplace_back(row_to_bytes((*rows)[i % graph::kSolvedAtOnce]));
    else answers.emplace_back(rows.error());
  }
  return answers;
}

FactorSweep whatif_sweep(const GraphEdits& edits, std::vector<double> factors, const Interference* beside) {
  return {std::move(factors), [&edits, beside](const std::vector<double>& some) -> Result<std::vector<SweepRow>> {
            return sweep(edits, some, beside);
          }};
}

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

std::vector<SolvedJob> solve_edited(const causal::CausalGraph& job, std::vector<PausedJob> scenarios,
                                    const Interference* beside) {
  return beside != nullptr ? beside->solve(job, std::move(scenarios)) : solve_paused(job, std::move(scenarios));
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

WhatIf what_if(const GraphEdits& edits, std::size_t top, const Interference* beside) {
  const causal::CausalGraph& job = edits.job();
  const graph::Solution unedited = graph::solve(job.graph, job.end);
  std::vector<PausedJob> scenario{{edits.weights(), edits.pauses()}};
  WhatIf result{unedited, solve_edited(job, std::move(scenario), beside).front(), {}, {}, {}, {}, 0};
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

std::vector<SweepRow> sweep(const GraphEdits& edits, const std::vector<double>& factors, const Interference* beside) {
  const causal::CausalGraph& job = edits.job();
  std::vector<PausedJob> scenarios;
  scenarios.reserve(factors.size());
  for (const double factor : factors) scenarios.push_back({edits.weights(factor), edits.pauses(factor)});
  std::vector<SweepRow> rows;
  const std::vector<SolvedJob> solved = solve_edited(job, std::move(scenarios), beside);
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
