#include "causal/hta/job_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "base/parallel.h"
#include "causal/hta/rows.h"

// Three rounds. Each rank by itself: rows, partners by correlation, starts counted from 0. Then over all ranks: the
// first start of the job and the names of its steps, since HTA decides for the job as a whole whether to filter. Then
// each rank again: its frame, without the last step. Rounds one and three run in parallel; their order shows nowhere.

namespace orrery::causal::hta {

// HTA's step filter: the last profiler step is incomplete, so it and everything after its start is dropped.

using StepNames = std::set<std::string, std::less<>>;

/// Adds the rows' names and categories that are called like a step: "ProfilerStep#7". With fewer than two of them, over
/// all ranks of a job, nothing is filtered.
void add_step_names(const Rows& rows, StepNames& names);

enum class LastStep : std::uint8_t { drop, keep };

/// Sets the frame to all rows in file order.
void keep_all(Rows& rows);

/// Sets the frame to the device rows of kept host rows, one per host row of the same correlation, then the kept host
/// rows. A rank without host rows keeps all. `job_first_start_ps` is the earliest first start of the job's ranks: with
/// LastStep::keep, HTA compares starts since then with an end on the file's own clock, which keeps everything unless
/// that clock began near 0.
void keep_whole_steps(Rows& rows, const Column<std::uint8_t>& is_device, LastStep last_step, Int128 job_first_start_ps);

namespace {

bool is_step_name(std::string_view text) {
  constexpr std::string_view kPrefix = "ProfilerStep#";
  return text.size() > kPrefix.size() && text.substr(0, kPrefix.size()) == kPrefix && text[kPrefix.size()] >= '0' &&
         text[kPrefix.size()] <= '9';
}

/// What the host rows say about where the last step begins and all steps end. Without step rows on the host, HTA takes
/// all host rows for that.
struct HostSteps {
  bool any_host = false;
  TimePs last_start = 0;
  TimePs latest_end = 0;
};

HostSteps find_host_steps(const Rows& rows, const Column<std::uint8_t>& is_device) {
  HostSteps steps, all;
  bool any_step = false;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] != 0) continue;
    // Without steps the first start of all rows takes the place of the last step's, as in HTA.
    all.last_start = all.any_host ? std::min(all.last_start, rows.ts[r]) : rows.ts[r];
    all.latest_end = all.any_host ? std::max(all.latest_end, rows.end(r)) : rows.end(r);
    all.any_host = true;
    if (!is_step_name(rows.name_text(r))) continue;
    steps.last_start = any_step ? std::max(steps.last_start, rows.ts[r]) : rows.ts[r];
    steps.latest_end = any_step ? std::max(steps.latest_end, rows.end(r)) : rows.end(r);
    any_step = steps.any_host = true;
  }
  return any_step ? steps : all;
}

}  // namespace

void add_step_names(const Rows& rows, StepNames& names) {
  const Interner& strings = rows.trace->strings;
  Column<std::uint8_t> is_seen(strings.size(), 0);
  for (RowIndex r = 0; r < rows.size(); ++r) {
    for (const StringId id : {rows.name(r), rows.category(r)}) {
      if (is_seen[id] != 0) continue;
      is_seen[id] = 1;
      if (is_step_name(strings.text(id))) names.emplace(strings.text(id));
    }
  }
}

void keep_all(Rows& rows) {
  rows.frame.clear();
  for (RowIndex r = 0; r < rows.size(); ++r) rows.frame.push_back(r);
}

void keep_whole_steps(Rows& rows, const Column<std::uint8_t>& is_device, LastStep last_step,
                      Int128 job_first_start_ps) {
  const HostSteps steps = find_host_steps(rows, is_device);
  if (!steps.any_host) return keep_all(rows);
  const auto is_kept_host = [&](RowIndex r) {
    if (is_device[r] != 0) return false;
    if (last_step == LastStep::drop) return rows.ts[r] < steps.last_start;
    // A start since the job's first against an end that was never shifted: both on the rank's clock, less the job's
    // first start.
    return static_cast<Int128>(rows.ts[r]) - job_first_start_ps <= steps.latest_end;
  };
  std::unordered_map<std::int64_t, std::uint32_t> hosts_of;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_kept_host(r)) ++hosts_of[rows.correlation[r]];
  }
  rows.frame.clear();
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_device[r] == 0) continue;
    const auto at = hosts_of.find(rows.correlation[r]);
    const std::uint32_t copies = at == hosts_of.end() ? 0 : at->second;
    // A merge in pandas repeats a device row for each host row of its correlation.
    for (std::uint32_t copy = 0; copy < copies; ++copy) rows.frame.push_back(r);
  }
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (is_kept_host(r)) rows.frame.push_back(r);
  }
}

namespace {

// Ranks whose clocks are further apart than TimePs holds compare as if they were that far apart.
TimePs fitting(Int128 time) {
  return static_cast<TimePs>(std::clamp<Int128>(time, -trace::kMaxMomentPs, trace::kMaxMomentPs));
}

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
  // A later file of the same rank replaces the earlier one, as in a Python dict.
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
