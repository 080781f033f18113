#include "analyze/hta/stragglers.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "analyze/hta/statistics.h"
#include "causal/hta/step_numbers.h"

// Rows are put into profiler steps, collectives that take a good part of a step are kept by stream, name and step, and
// the one that differs most between ranks is chosen. Ranks score for each of its instances that they start among the
// last.

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

namespace {

using causal::hta::JobRows;
using causal::hta::RankRows;
using causal::hta::RowIndex;
using causal::hta::Rows;

struct Collective {
  TimePs start;  // on the job's time
  TimePs duration;
};
using CollectiveName = std::pair<std::int64_t, std::string>;         // stream, name
using InStep = std::tuple<std::int64_t, std::string, std::int64_t>;  // stream, name, step
using ByRank = std::map<std::int64_t, Collective>;                   // of one rank the last row counts
using LongCollectives = std::map<InStep, ByRank>;

struct StepRows {
  std::vector<Column<std::int64_t>> steps;  // per rank, one per row
  std::set<std::int64_t> seen;
  double step_us = 0;  // the mean length
};

Result<StepRows> rows_in_steps(const JobRows& job, const std::vector<std::int64_t>& wanted) {
  std::vector<std::int64_t> profiled = profiled_steps(job);
  if (!wanted.empty()) {
    std::erase_if(profiled,
                  [&](std::int64_t step) { return std::find(wanted.begin(), wanted.end(), step) == wanted.end(); });
  }
  if (profiled.empty()) return Error{"no profiler steps"};
  StepRows in_steps;
  TimePs first = std::numeric_limits<TimePs>::max(), last = std::numeric_limits<TimePs>::min();
  for (const RankRows& rank : job) {
    Column<std::int64_t> steps = causal::hta::number_steps(rank.rows);
    for (std::int64_t& step : steps) {
      // Rows outside of the steps that count are as if they were in none.
      if (!std::binary_search(profiled.begin(), profiled.end(), step)) step = causal::hta::kNoStep;
    }
    for (const RowIndex r : rank.rows.frame) {
      if (steps[r] == causal::hta::kNoStep) continue;
      in_steps.seen.insert(steps[r]);
      first = std::min(first, rank.rows.ts[r] + rank.job_offset);
      last = std::max(last, rank.rows.end(r) + rank.job_offset);
    }
    in_steps.steps.push_back(std::move(steps));
  }
  if (in_steps.seen.empty()) return Error{"no row lies in a profiler step"};
  // The mean over all ranks together, from the first start to the last end.
  in_steps.step_us = to_us(last - first) / static_cast<double>(in_steps.seen.size());
  return in_steps;
}

LongCollectives long_collectives(const JobRows& job, const StepRows& in_steps) {
  LongCollectives found;
  for (std::size_t i = 0; i < job.size(); ++i) {
    const Rows& rows = job[i].rows;
    for (const RowIndex r : rows.frame) {
      const std::int64_t step = in_steps.steps[i][r];
      // As HTA: on a stream above 0, in a step above 0, and longer than a hundredth of the mean step.
      if (rows.stream[r] <= 0 || step <= 0 || to_us(rows.dur[r]) < in_steps.step_us * 0.01) continue;
      if (!rows.name_text(r).starts_with("ncclKernel")) continue;
      found[{rows.stream[r], std::string(rows.name_text(r)), step}][job[i].number] = {rows.ts[r] + job[i].job_offset,
                                                                                      rows.dur[r]};
    }
  }
  return found;
}

// The one whose duration differs most between ranks, on the mean over steps. Of equals the first by stream and name.
Result<CollectiveName> most_varying(const LongCollectives& collectives, double step_us) {
  std::map<CollectiveName, std::vector<double>> deviations;
  for (const auto& [key, by_rank] : collectives) {
    // One rank alone differs from nobody.
    if (by_rank.size() < 2) continue;
    std::vector<double> shares;
    for (const auto& [rank, collective] : by_rank) shares.push_back(to_us(collective.duration) / step_us);
    deviations[{std::get<0>(key), std::get<1>(key)}].push_back(deviation(shares));
  }
  if (deviations.empty()) return Error{"no communication kernel that is long and on several ranks"};
  const CollectiveName* chosen = nullptr;
  double most = 0;
  for (const auto& [name, values] : deviations) {
    const double value = mean(values);
    // Strictly more, so that of equals the first stays; what is not a number never wins.
    if (chosen != nullptr && !(value > most)) continue;
    chosen = &name;
    most = value;
  }
  return *chosen;
}

}  // namespace

Result<std::vector<std::int64_t>> potential_stragglers(const JobRows& job, std::size_t candidates,
                                                       const std::vector<std::int64_t>& steps) {
  const Result<StepRows> in_steps = rows_in_steps(job, steps);
  if (!in_steps) return in_steps.error();
  const LongCollectives collectives = long_collectives(job, *in_steps);
  const Result<CollectiveName> chosen = most_varying(collectives, in_steps->step_us);
  if (!chosen) return chosen.error();
  std::map<std::int64_t, std::size_t> points;
  for (const auto& [key, by_rank] : collectives) {
    if (std::get<0>(key) != chosen->first || std::get<1>(key) != chosen->second) continue;
    if (by_rank.size() < candidates) return Error{"fewer ranks than candidates"};
    std::vector<TimePs> starts;
    for (const auto& [rank, collective] : by_rank) starts.push_back(collective.start);
    std::sort(starts.begin(), starts.end());
    for (const auto& [rank, collective] : by_rank)
      // A point for every collective that the rank starts among the last ones.
      points[rank] += candidates > 0 && collective.start >= starts[starts.size() - candidates] ? 1 : 0;
  }
  std::vector<std::pair<std::int64_t, std::size_t>> ranks(points.begin(), points.end());
  // Ranks with equal points stay in the order of their numbers.
  std::stable_sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::int64_t> stragglers;
  for (std::size_t i = 0; i < std::min(candidates, ranks.size()); ++i) stragglers.push_back(ranks[i].first);
  return stragglers;
}

}  // namespace orrery::analyze::hta
