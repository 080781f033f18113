#include "analyze/schedule/replay_summary.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>

#include "simulate/replay.h"

namespace orrery::analyze {
namespace {

using workload::ActivityKind;
using workload::Dependency;
using workload::is_communication;
using workload::kNotRecorded;
using workload::Program;

struct Interval {
  TimePs start, end;
};

TimePs covered(std::vector<Interval>& intervals) {
  const auto sooner = [](const Interval& a, const Interval& b) { return a.start < b.start; };
  if (!std::is_sorted(intervals.begin(), intervals.end(), sooner))
    std::sort(intervals.begin(), intervals.end(), sooner);
  TimePs busy = 0, until = std::numeric_limits<TimePs>::min();
  for (const Interval& interval : intervals) {
    if (interval.end <= until) continue;
    busy += interval.end - std::max(interval.start, until);
    until = interval.end;
  }
  return busy;
}

/// One rank of the replay.
struct RankView {
  std::uint32_t rank;
  const Program& program;
  std::span<const TimePs> starts, ends;
};

std::vector<LaneUse> lanes_of(const RankView& view) {
  std::map<workload::LaneKey, std::vector<Interval>> lanes;
  auto last = lanes.end();  // neighbours are often on one lane
  for (std::size_t i = 0; i < view.program.size(); ++i) {
    if (view.starts[i] == view.ends[i]) continue;
    const workload::LaneKey key = workload::lane_of(view.program, i);
    if (last == lanes.end() || last->first != key) last = lanes.try_emplace(key).first;
    last->second.push_back({view.starts[i], view.ends[i]});
  }
  std::vector<LaneUse> uses;
  uses.reserve(lanes.size());
  for (auto& [key, intervals] : lanes) uses.push_back({key.first, key.second, intervals.size(), covered(intervals)});
  return uses;
}

RankReplay replay_of(const RankView& view) {
  RankReplay replay;
  replay.recorded_ps = simulate::recorded_span(view.program);
  if (view.program.size() > 0) {
    replay.begin_ps = *std::min_element(view.starts.begin(), view.starts.end());
    replay.replayed_ps = *std::max_element(view.ends.begin(), view.ends.end()) - replay.begin_ps;
  }
  replay.lanes = lanes_of(view);
  return replay;
}

void count_missing_durations(const RankView& view, ReplaySummary& summary) {
  for (std::uint32_t i = 0; i < view.program.size(); ++i) {
    const ActivityKind kind = view.program.kinds[i];
    const bool on_device =
        (kind == ActivityKind::compute || kind == ActivityKind::memory_load || kind == ActivityKind::memory_store) &&
        !view.program.has(i, workload::activity::kOnHost);
    const bool recorded = view.program.duration_ps(i) != 0 ||
                          view.program.starts_ps[i] != kNotRecorded;  // some take less than a microsecond
    if (recorded || !(on_device || is_communication(kind))) continue;
    if (summary.without_duration++ == 0) summary.first_without_duration = {view.rank, i};
  }
}

/// Keeps the `most` departures where most arises.
class WorstDepartures {
 public:
  explicit WorstDepartures(std::size_t most) : most_(most) {}

  void offer(const Departure& departure) {
    if (departure.arises_ps == 0 || most_ == 0) return;
    if (heap_.size() == most_ && !worse(departure, heap_.front())) return;
    if (heap_.size() == most_) {
      std::pop_heap(heap_.begin(), heap_.end(), worse);
      heap_.pop_back();
    }
    heap_.push_back(departure);
    std::push_heap(heap_.begin(), heap_.end(), worse);
  }
  std::vector<Departure> take() {
    std::sort(heap_.begin(), heap_.end(), worse);
    return std::move(heap_);
  }

 private:
  static bool worse(const Departure& a, const Departure& b) {
    const TimePs size_a = std::abs(a.arises_ps), size_b = std::abs(b.arises_ps);
    return std::tuple(-size_a, a.rank, a.activity) < std::tuple(-size_b, b.rank, b.activity);
  }

  std::size_t most_;
  std::vector<Departure> heap_;  // the least bad in front
};

/// `origin`: the recorded time that is 0 in the replay.
void compare_starts(const RankView& view, TimePs origin, WorstDepartures& worst, ReplaySummary& summary) {
  const Program& program = view.program;
  const graph::Graph& graph = program.dependencies;
  for (std::uint32_t i = 0; i < program.size(); ++i) {
    if (program.starts_ps[i] == kNotRecorded) continue;
    const TimePs recorded = program.starts_ps[i] - origin;
    TimePs inherited = 0, released = std::numeric_limits<TimePs>::min();
    for (const graph::Slot slot : graph.incoming(i)) {
      const graph::NodeId source = graph.source(slot);
      if (program.starts_ps[source] == kNotRecorded) continue;
      const bool on_start = static_cast<Dependency>(graph.type(slot)) == Dependency::start;
      const TimePs allowed = program.starts_ps[source] - origin + (on_start ? 0 : program.duration_ps(source));
      const TimePs allows = on_start ? view.starts[source] : view.ends[source];
      if (allows > released) released = allows, inherited = allows - allowed;
      if (allowed <= recorded) continue;
      if (summary.contradicted++ > 0) continue;
      summary.first_contradicted_source = {view.rank, source};
      summary.first_contradicted_target = {view.rank, i};
    }
    const TimePs stretched =
        view.ends[i] - view.starts[i] - program.duration_ps(i);  // of communication: partners come earlier or later
    worst.offer({view.rank, i, recorded, view.starts[i], view.starts[i] - recorded - inherited + stretched});
  }
}

}  // namespace

double residual_percent(const RankReplay& rank) {
  return 100.0 * static_cast<double>(rank.replayed_ps - rank.recorded_ps) / static_cast<double>(rank.recorded_ps);
}

ReplaySummary summarize_replay(const workload::Workload& workload, const simulate::Schedule& schedule,
                               std::size_t departures) {
  TimePs origin = kNotRecorded;
  for (const std::uint32_t program : workload.program_of_rank) {
    const TimePs begin = simulate::recorded_begin(workload.programs[program]);
    if (begin != kNotRecorded && (origin == kNotRecorded || begin < origin)) origin = begin;
  }
  const std::vector<std::uint64_t> first = workload.first_activities();
  ReplaySummary summary;
  WorstDepartures worst(departures);
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::size_t count = first[rank + 1] - first[rank];
    const RankView view{rank,
                        workload.program(rank),
                        {schedule.start_ps.data() + first[rank], count},
                        {schedule.end_ps.data() + first[rank], count}};
    summary.ranks.push_back(replay_of(view));
    count_missing_durations(view, summary);
    if (origin != kNotRecorded) compare_starts(view, origin, worst, summary);
  }
  summary.departures = worst.take();
  return summary;
}

}  // namespace orrery::analyze
