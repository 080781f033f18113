#include "job/write/workload_timeline.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "formats/perfetto/writer.h"
#include "trace/trace.h"
#include "workload/delays.h"

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

}  // namespace orrery::job
