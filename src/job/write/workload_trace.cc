#include "job/write/workload_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "formats/perfetto/writer.h"
#include "simulate/replay.h"
#include "simulate/schedule_trace.h"
#include "trace/trace.h"
#include "workload/delays.h"
#include "workload/lane_names.h"

// Two ways. With recorded starts a timeline is those starts. Without them the programs are replayed with their recorded
// durations, ranks together where the whole job is there; of a part of a job communication is taken for work of its
// duration, since its partners are missing, and marked as communication afterwards.

namespace orrery::job {
namespace {

using workload::ActivityKind;
using workload::Program;

constexpr DiagnosticKind kNoStart{"C310", Severity::note, "activity whose start was not recorded",
                                  "it is not on the timeline"};

enum Category : std::uint16_t { kHostOperator, kKernel, kCopy, kDelay };

/// The lanes of a rank, host threads before streams.
class Lanes {
 public:
  Lanes(std::size_t rank, const Program& program, Interner& strings) : rank_(static_cast<std::int64_t>(rank)) {
    std::map<std::pair<bool, std::int32_t>, trace::LaneIndex> sorted;
    for (std::size_t i = 0; i < program.size(); ++i) sorted[key(program, i)] = 0;
    const StringId process = strings.intern(fmt::format("rank {}", rank));
    for (auto& [key, index] : sorted) {
      index = static_cast<trace::LaneIndex>(lanes_.size());
      const StringId name = strings.intern(fmt::format("{} {}", key.first ? "stream" : "thread", key.second));
      // Streams are numbered apart from threads: both may have the same number.
      const std::int64_t thread = key.second + (key.first ? kFirstStream : 0);
      lanes_.push_back({{rank_, 0}, {thread, 0}, process, name});
    }
    index_ = std::move(sorted);
  }
  [[nodiscard]] trace::LaneIndex of(const Program& program, std::size_t i) const { return index_.at(key(program, i)); }
  std::vector<trace::Lane> take() { return std::move(lanes_); }

 private:
  static constexpr std::int64_t kFirstStream = 1'000'000;
  static std::pair<bool, std::int32_t> key(const Program& program, std::size_t i) {
    return {!program.has(i, workload::activity::kOnHost), program.lanes[i]};
  }

  std::int64_t rank_;
  std::map<std::pair<bool, std::int32_t>, trace::LaneIndex> index_;
  std::vector<trace::Lane> lanes_;
};

std::uint16_t category_of(const Program& program, std::size_t i, bool is_delay) {
  if (is_delay) return kDelay;  // to be seen, not to be counted as work
  if (program.has(i, workload::activity::kOnHost)) return kHostOperator;
  const ActivityKind kind = program.kinds[i];
  return kind == ActivityKind::memory_load || kind == ActivityKind::memory_store ? kCopy : kKernel;
}

trace::RankTrace rank_timeline(const workload::Workload& workload, std::size_t rank, Interner& strings,
                               Diagnostics& diagnostics) {
  const Program& program = workload.program(rank);
  trace::RankTrace out;
  out.rank = static_cast<std::int64_t>(rank);
  out.epoch_unix_ns = workload.epoch_us * 1000;
  out.source.rank = out.rank;
  out.source.world_size = static_cast<std::int64_t>(workload.rank_count());
  out.categories = {{strings.intern("cpu_op"), trace::Activity::cpu_operator},
                    {strings.intern("kernel"), trace::Activity::kernel},
                    {strings.intern("gpu_memcpy"), trace::Activity::memory_copy},
                    {strings.intern("delay"), trace::Activity::other}};
  const Column<std::uint8_t> is_delay = workload::find_delays(program, workload.strings);
  Lanes lanes(rank, program, strings);
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (program.starts_ps[i] == workload::kNotRecorded) {
      diagnostics.add(kNoStart, [&] { return workload.describe(rank, i); });
      continue;
    }
    out.append_event({.start = program.starts_ps[i],
                      .duration = program.duration_ps(i),
                      .name = strings.intern(workload.strings.text(program.names[i])),
                      .lane = lanes.of(program, i),
                      .category = category_of(program, i, is_delay[i] != 0)},
                     {.ordinal = static_cast<std::uint32_t>(out.event_count())});
  }
  out.lanes = lanes.take();
  return out;
}

bool has_starts(const workload::Workload& workload) {
  for (const Program& program : workload.programs) {
    if (!program.starts_ps.values().empty()) return true;
  }
  return false;
}

}  // namespace

Status write_timeline(const workload::Workload& workload, const std::string& path, Diagnostics& diagnostics) {
  if (!has_starts(workload)) {
    return Error{"no starts were recorded, so there is no timeline",
                 {},
                 Error::kNoOffset,
                 "run it on a machine instead, which makes one: orrery simulate"};
  }
  auto writer = perfetto::TraceWriter::create(path, {.world_size = static_cast<std::int64_t>(workload.rank_count())});
  if (!writer) return writer.error();
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    Interner strings;
    writer->add_rank(rank_timeline(workload, rank, strings, diagnostics), strings);
  }
  return writer->commit();
}

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
  // With ranks missing no communication could be matched.
  const bool together = workload.rank_count() > 1 && workload.recorded_ranks <= workload.rank_count();
  const std::vector<Kinds> kinds = together ? std::vector<Kinds>() : take_apart(workload);
  const Result<simulate::Schedule> schedule = simulate::replay(workload, {.rendezvous = together});
  if (!schedule) return schedule.error();
  return trace_ranks(workload, *schedule, kinds, rank_numbers, files, format);
}

}  // namespace orrery::job
