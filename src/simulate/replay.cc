#include "simulate/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/result.h"
#include "graph/longest_path.h"
#include "simulate/engine/engine.h"
#include "simulate/engine/program_plan.h"
#include "simulate/models/oracle_model.h"
#include "simulate/schedule.h"
#include "simulate/schedule_uses.h"
#include "workload/workload.h"

namespace orrery::simulate {

// Replay of all ranks together: the longest path through the graphs of all ranks, joined where they communicate.

/// See replay(), which this is the half of. `begins`: by rank, at least 0. Without ranks in the schedule; with its
/// collectives.
Result<Schedule> replay_together(const workload::Workload& workload, const Column<TimePs>& begins,
                                 std::int64_t eager_limit_bytes);

Result<Schedule> replay_together(const workload::Workload& workload, const Column<TimePs>& begins,
                                 std::int64_t eager_limit_bytes) {
  // The network takes what was recorded: only the order is worked out.
  OracleModel recorded([](const CommOp& op) -> Result<Price> { return Price{.total_ps = op.recorded_ps}; });
  EngineOptions options;
  options.replay = true;
  options.begins = {begins.data(), begins.size()};
  options.eager_limit_bytes = eager_limit_bytes;
  options.use_symmetry = false;  // every rank begins when it was recorded to
  return execute(workload, recorded, options);
}

namespace {

// So that sums and differences of a few fit.
Status check_times(const workload::Workload& workload) {
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i) {
      const TimePs start = program.starts_ps[i], duration = program.duration_ps(i);
      if (duration < 0 || duration > kMaxSimulatedPs)
        return Error{.message = workload.describe(rank, i) + " takes less than no time or more than 26 days"};
      if (start != workload::kNotRecorded && (start < -kMaxSimulatedPs || start > kMaxSimulatedPs))
        return Error{.message = workload.describe(rank, i) + " was recorded more than 26 days away from the epoch"};
    }
  }
  return {};
}

Result<Schedule> replay_apart(const workload::Workload& workload, const Column<TimePs>& begins) {
  const std::vector<std::uint64_t> first = workload.first_activities();
  Schedule schedule;
  schedule.start_ps.resize_uninitialized(first.back());
  schedule.end_ps.resize_uninitialized(first.back());
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::size_t count = first[rank + 1] - first[rank];
    const workload::Program& program = workload.program(rank);
    if (program.dependencies.node_count() != count) {
      return Error{.message = fmt::format("rank {} has {} activities but dependencies between {}", rank, count,
                                          program.dependencies.node_count())};
    }
    // Without partners the ranks have nothing in common, and each is a longest path of its own.
    const graph::Solution alone = graph::solve(program.dependencies);
    for (graph::Position position = 0; position < count; ++position) {
      const graph::NodeId i = program.dependencies.node_at(position);
      const TimePs end = begins[rank] + alone.finish_at(position);
      if (end > kMaxSimulatedPs) return Error{.message = workload.describe(rank, i) + " ends after more than 26 days"};
      schedule.start_ps[first[rank] + i] = end - program.duration_ps(i);
      schedule.end_ps[first[rank] + i] = end;
    }
  }
  return schedule;
}

// When each rank begins, by its recorded starts. A rank without any begins with the earliest.
Result<Column<TimePs>> rank_begins(const workload::Workload& workload) {
  std::vector<TimePs> of_program;
  TimePs earliest = std::numeric_limits<TimePs>::max();
  for (const workload::Program& program : workload.programs) of_program.push_back(recorded_begin(program));
  for (const std::uint32_t program : workload.program_of_rank) {
    if (of_program[program] != workload::kNotRecorded) earliest = std::min(earliest, of_program[program]);
  }
  Column<TimePs> begins;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const TimePs begin = of_program[workload.program_of_rank[rank]];
    // Times of the replay begin with the first rank.
    begins.push_back(begin == workload::kNotRecorded ? 0 : begin - earliest);
    if (begins.back() > kMaxSimulatedPs)
      return Error{.message = fmt::format("rank {} begins more than 26 days after the first", rank)};
  }
  return begins;
}

}  // namespace

Result<Schedule> replay(const workload::Workload& workload, const ReplayOptions& options) {
  if (const Status status = check_times(workload); !status) return status.error();
  const Result<Column<TimePs>> begins = rank_begins(workload);
  if (!begins) return begins.error();
  Result<Schedule> schedule = options.rendezvous ? replay_together(workload, *begins, options.eager_limit_bytes)
                                                 : replay_apart(workload, *begins);
  if (!schedule) return schedule;
  schedule->ranks = rank_uses(workload, *schedule, true);
  // A check of this program and not of the input: no workload may lead to a schedule that breaks the rules.
  if (const Status status = schedule->check(); !status)
    return Error{.message = "the replay went wrong: " + status.error().message};
  return schedule;
}

TimePs recorded_begin(const workload::Program& program) {
  TimePs begin = workload::kNotRecorded;
  for (const TimePs start : program.starts_ps.values()) {
    if (start != workload::kNotRecorded && (begin == workload::kNotRecorded || start < begin)) begin = start;
  }
  return begin;
}

TimePs recorded_span(const workload::Program& program) {
  const TimePs begin = recorded_begin(program);
  TimePs end = begin;
  const std::span<const TimePs> starts = program.starts_ps.values();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] != workload::kNotRecorded) end = std::max(end, starts[i] + program.duration_ps(i));
  }
  return end - begin;
}

bool has_durations(const workload::Workload& workload) {
  return std::any_of(workload.programs.begin(), workload.programs.end(), [](const workload::Program& program) {
    const std::span<const TimePs> durations = program.dependencies.durations();
    return std::any_of(durations.begin(), durations.end(), [](TimePs duration) { return duration != 0; });
  });
}

}  // namespace orrery::simulate
