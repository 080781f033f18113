#include "causal/hta/job_rows.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/parallel.h"
#include "causal/hta/step_filter.h"

namespace orrery::causal::hta {
namespace {

// Ranks whose clocks are further apart than TimePs holds compare as if they were that far apart.
TimePs fitting(Int128 time) { return static_cast<TimePs>(std::clamp<Int128>(time, -trace::kMaxMomentPs, trace::kMaxMomentPs)); }

Result<RankRows> load_rank(const RankInput& input) {
  Result<Rows> rows = load_rows(*input.trace, *input.rank);
  if (!rows) return rows.error();
  RankRows rank{.number = input.number, .rows = std::move(*rows)};
  rank.is_device = find_gpu_rows(rank.rows);
  join_on_correlation(rank.rows, rank.is_device);
  align_to_first_start(rank.rows);
  return rank;
}

}  // namespace

Result<JobRows> make_job_rows(std::span<const RankInput> inputs, Filter filter) {
  std::map<std::int64_t, const RankInput*> by_number;
  for (const RankInput& input : inputs) by_number[input.number] = &input;
  std::vector<const RankInput*> kept;
  kept.reserve(by_number.size());
  for (const auto& [number, input] : by_number) kept.push_back(input);
  std::vector<std::optional<Result<RankRows>>> loaded(kept.size());
  parallel_for(kept.size(), [&](std::size_t i) { loaded[i] = load_rank(*kept[i]); });
  JobRows job;
  for (auto& rank : loaded) {
    if (*rank) job.push_back(std::move(**rank));
  }
  if (job.empty()) return loaded.empty() ? Error{"there is no rank"} : loaded.front()->error();

  Int128 first = job.front().rows.first_start_ps;
  StepNames steps;
  for (const RankRows& rank : job) {
    first = std::min(first, rank.rows.first_start_ps);
    add_step_names(rank.rows, steps);
  }
  const LastStep last_step = filter == Filter::with_last_step ? LastStep::keep : LastStep::drop;
  parallel_for(job.size(), [&](std::size_t i) {
    Rows& rows = job[i].rows;
    job[i].job_offset = fitting(rows.first_start_ps - first);
    if (filter == Filter::none || steps.size() < 2) keep_all(rows);
    else keep_whole_steps(rows, job[i].is_device, last_step, first);
    index_frame(rows);
  });
  return job;
}

Result<Rows> make_rows(const trace::Trace& trace, const trace::RankTrace& rank, bool include_last_step) {
  const RankInput input{.trace = &trace, .rank = &rank};
  Result<JobRows> job = make_job_rows({&input, 1}, include_last_step ? Filter::with_last_step : Filter::whole_steps);
  if (!job) return job.error();
  return std::move(job->front().rows);
}

std::vector<const RankRows*> all_ranks(const JobRows& job) {
  std::vector<const RankRows*> ranks;
  ranks.reserve(job.size());
  for (const RankRows& rank : job) ranks.push_back(&rank);
  return ranks;
}

bool has_symbol(const JobRows& job, std::string_view text) {
  return std::any_of(job.begin(), job.end(), [&](const RankRows& rank) {
    const Rows& rows = rank.rows;
    const StringId id = rows.trace->strings.find(text);
    if (id == Interner::kMissing) return false;
    for (RowIndex r = 0; r < rows.size(); ++r) {
      if (rows.name(r) == id || rows.category(r) == id) return true;
    }
    return false;
  });
}

}  // namespace orrery::causal::hta
