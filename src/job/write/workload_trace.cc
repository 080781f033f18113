#include "job/write/workload_trace.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "simulate/replay.h"
#include "simulate/schedule_trace.h"
#include "workload/lane_names.h"

namespace orrery::job {
namespace {

using workload::ActivityKind;

void name_source(trace::RankTrace& rank, std::size_t number, const std::string& file, std::string_view format,
                 std::size_t job_ranks) {
  rank.rank = static_cast<std::int64_t>(number);
  trace::SourceInfo& source = rank.source;
  source.path = file;
  source.format = format;
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(file, unknown);
  source.file_bytes = source.text_bytes = unknown ? 0 : bytes;
  source.rank = rank.rank;
  source.world_size = job_ranks == 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(job_ranks));
  source.schema_version.reset();
  source.entries = rank.event_count();
}

using Kinds = std::vector<ActivityKind>;

/// Communication that asks for no partners: work of the device that takes as long as recorded. Returns what it was, by
/// program.
std::vector<Kinds> take_apart(workload::Workload& workload) {
  std::vector<Kinds> before;
  for (workload::Program& program : workload.programs) {
    before.emplace_back(program.kinds.begin(), program.kinds.end());
    for (ActivityKind& kind : program.kinds) {
      if (is_communication(kind)) kind = ActivityKind::compute;
    }
  }
  return before;
}

/// The events of communication are marked as a profiler marks them: analyses tell it from other work by that.
void mark_communication(const workload::Program& program, const Kinds& kinds, simulate::ScheduleTracer::Rank& traced,
                        Interner& strings) {
  trace::SparseColumn& marks = traced.trace.field(trace::Field::collective_text);
  for (trace::EventIndex event = 0; event < traced.trace.event_count(); ++event) {
    const std::uint32_t activity = traced.activity_of_event[event];
    if (activity == simulate::kNone || !is_communication(kinds[activity])) continue;
    const bool is_collective = kinds[activity] == ActivityKind::collective;
    const std::string_view name = is_collective ? to_string(program.collectives[activity]) : to_string(kinds[activity]);
    marks.push(event, static_cast<std::int64_t>(strings.intern(name)));
  }
}

void put_together(workload::Workload& workload, const std::vector<Kinds>& kinds) {
  for (std::size_t p = 0; p < kinds.size(); ++p)
    std::copy(kinds[p].begin(), kinds[p].end(), workload.programs[p].kinds.begin());
}

/// `kinds`: what take_apart gave; empty: nothing was taken apart.
Result<trace::Trace> trace_ranks(const workload::Workload& workload, const simulate::Schedule& schedule,
                                 const std::vector<Kinds>& kinds, const std::vector<std::size_t>& rank_numbers,
                                 const std::vector<std::string>& files, std::string_view format) {
  const Result<simulate::ScheduleTracer> tracer = simulate::ScheduleTracer::make(workload, schedule);
  if (!tracer) return tracer.error();
  trace::Trace job;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    Interner strings;
    simulate::ScheduleTracer::Rank traced = tracer->trace_rank(rank, simulate::TraceDetail::causes, strings);
    if (!kinds.empty())
      mark_communication(workload.program(rank), kinds[workload.program_of_rank[rank]], traced, strings);
    const std::size_t job_ranks = workload.recorded_ranks != 0 ? workload.recorded_ranks
                                  : kinds.empty()              ? workload.rank_count()
                                                               : 0;
    name_source(traced.trace, rank_numbers[rank], files.size() == 1 ? files.front() : files[rank], format, job_ranks);
    if (!trace::add_rank(job, std::move(traced.trace), strings))
      return Error{"its times are more than 26 days away from those of other ranks", files.front()};
  }
  return job;
}

}  // namespace

Result<trace::Trace> trace_of_replay(workload::Workload& workload, const simulate::Schedule& schedule, bool alone,
                                     const std::vector<std::size_t>& rank_numbers, const std::string& source) {
  const std::vector<Kinds> kinds = alone ? take_apart(workload) : std::vector<Kinds>();
  Result<trace::Trace> traced = trace_ranks(workload, schedule, kinds, rank_numbers, {source}, "chakra");
  put_together(workload, kinds);
  return traced;
}

Error without_times(const std::string& file) {
  return Error{"no activity has a recorded duration: there is no time to analyse", file, Error::kNoOffset,
               "simulate it on a machine, and analyse the trace of that"};
}

Result<trace::Trace> trace_of(workload::Workload workload, const std::vector<std::size_t>& rank_numbers,
                              const std::vector<std::string>& files, std::string_view format) {
  if (!simulate::has_durations(workload)) return without_times(files.front());
  const bool together = workload.rank_count() > 1 && workload.recorded_ranks <= workload.rank_count();
  const std::vector<Kinds> kinds = together ? std::vector<Kinds>() : take_apart(workload);
  const Result<simulate::Schedule> schedule = simulate::replay(workload, {.rendezvous = together});
  if (!schedule) return schedule.error();
  return trace_ranks(workload, *schedule, kinds, rank_numbers, files, format);
}

}  // namespace orrery::job
