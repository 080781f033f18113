#include "job/write/replay_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "formats/perfetto/writer.h"
#include "trace/disjoint_rows.h"
#include "trace/trace.h"
#include "workload/delays.h"
#include "workload/lane_names.h"

// Activities become events by their start; a lane of the replay becomes as many rows as activities on it ever overlap,
// since viewers draw nested what overlaps. Lanes are numbered when their number is known.

namespace orrery::job {
namespace {

using trace::Activity;
using workload::lane_name;
using workload::lane_of;
using workload::LaneKey;
using workload::LaneKind;

// In the order of RankTrace::categories.
enum ReplayedCategory : std::uint16_t { kReplayedKernel, kReplayedCopy, kReplayedOperator, kReplayedDelay };

ReplayedCategory replayed_category(const workload::Program& program, std::size_t i, bool is_delay) {
  if (is_delay) return kReplayedDelay;  // to be seen, not to be counted as work
  const workload::ActivityKind kind = program.kinds[i];
  if (kind == workload::ActivityKind::memory_load || kind == workload::ActivityKind::memory_store) return kReplayedCopy;
  const LaneKind lane = lane_of(program, i).first;
  return lane == LaneKind::thread || lane == LaneKind::host ? kReplayedOperator : kReplayedKernel;
}

/// The lanes of one name.
struct LaneFamily {
  trace::DisjointRows members = {};
  std::uint32_t first_lane = 0;
};

class RankTimeline {
 public:
  RankTimeline(const workload::Workload& workload, std::uint32_t rank, std::span<const TimePs> starts,
               std::span<const TimePs> ends, Interner& strings)
      : workload_(workload),
        program_(workload.program(rank)),
        is_delay_(workload::find_delays(program_, workload.strings)),
        starts_(starts),
        ends_(ends),
        strings_(strings) {
    trace_.rank = rank;
    trace_.epoch_unix_ns = kPsPerSecond / kPsPerNs;
    for (const auto& [text, activity] :
         {std::pair("kernel", Activity::kernel), std::pair("gpu_memcpy", Activity::memory_copy),
          std::pair("cpu_op", Activity::cpu_operator), std::pair("delay", Activity::other)})
      trace_.categories.push_back({strings.intern(text), activity});
    process_name_ = strings.intern(fmt::format("rank {}", rank));
    for (std::uint32_t i = 0; i < program_.size(); ++i) {
      // What takes no time cannot be seen.
      if (starts[i] < ends[i]) activity_of_event_.push_back(i);
    }
    std::stable_sort(activity_of_event_.begin(), activity_of_event_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return starts[a] < starts[b]; });
    const std::vector<std::uint32_t> lanes = add_lanes();
    for (std::size_t event = 0; event < lanes.size(); ++event) add_event(activity_of_event_[event], lanes[event]);
  }

  void write(perfetto::TraceWriter& writer) const {
    writer.add_rank(trace_, strings_, [this](trace::EventIndex event, JsonWriter& args) {
      const std::uint32_t i = activity_of_event_[event];
      args.field("node", program_.ids[i]);
      if (program_.starts_ps[i] != workload::kNotRecorded)
        args.field("recorded start (us)", to_us(program_.starts_ps[i]));
      if (program_.has(i, workload::activity::kHasBytes)) args.field("bytes", program_.bytes[i]);
    });
  }

 private:
  // Lanes are numbered once it is known how many of each name there are. Returns the lane of each event.
  std::vector<std::uint32_t> add_lanes() {
    std::vector<std::pair<LaneFamily*, std::uint32_t>> places;
    for (const std::uint32_t i : activity_of_event_) {
      LaneFamily& family = families_[lane_of(program_, i)];
      places.emplace_back(&family, family.members.take(starts_[i], ends_[i]));
    }
    for (auto& [key, family] : families_) {
      family.first_lane = static_cast<std::uint32_t>(trace_.lanes.size());
      for (std::uint32_t member = 0; member < family.members.count(); ++member) {
        // The first keeps the plain name, since mostly there is no second.
        const std::string name = member == 0 ? lane_name(key) : fmt::format("{} ({})", lane_name(key), member + 1);
        const auto thread = static_cast<std::int64_t>(trace_.lanes.size()) + 1;
        trace_.lanes.push_back({{trace_.rank, 0}, {thread, 0}, process_name_, strings_.intern(name)});
      }
    }
    std::vector<std::uint32_t> lanes;
    lanes.reserve(places.size());
    for (const auto& [family, member] : places) lanes.push_back(family->first_lane + member);
    return lanes;
  }

  void add_event(std::uint32_t i, std::uint32_t lane) {
    trace_.append_event({.start = starts_[i],
                         .duration = ends_[i] - starts_[i],
                         .name = name_of(i),
                         .lane = lane,
                         .category = static_cast<std::uint16_t>(replayed_category(program_, i, is_delay_[i] != 0))},
                        {.ordinal = static_cast<std::uint32_t>(trace_.event_count())});
  }

  StringId name_of(std::uint32_t i) {
    if (program_.names[i] != 0) return strings_.intern(workload_.strings.text(program_.names[i]));
    const bool is_collective = program_.kinds[i] == workload::ActivityKind::collective;
    return strings_.intern(is_collective ? to_string(program_.collectives[i]) : to_string(program_.kinds[i]));
  }

  const workload::Workload& workload_;
  const workload::Program& program_;
  const Column<std::uint8_t> is_delay_;
  std::span<const TimePs> starts_, ends_;
  Interner& strings_;
  StringId process_name_ = 0;
  std::map<LaneKey, LaneFamily> families_;
  std::vector<std::uint32_t> activity_of_event_;
  trace::RankTrace trace_;
};

}  // namespace

Status export_replay(const workload::Workload& workload, const simulate::Schedule& schedule, const std::string& path) {
  const perfetto::Header header{.world_size = static_cast<std::int64_t>(workload.rank_count()), .backend = "orrery"};
  Result<perfetto::TraceWriter> writer = perfetto::TraceWriter::create(path, header);
  if (!writer) return writer.error();
  Interner strings;
  const std::vector<std::uint64_t> first = workload.first_activities();
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::size_t count = first[rank + 1] - first[rank];
    RankTimeline(workload, rank, {schedule.start_ps.data() + first[rank], count},
                 {schedule.end_ps.data() + first[rank], count}, strings)
        .write(*writer);
  }
  return writer->commit();
}

}  // namespace orrery::job
