#include "analyze/schedule/replay_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "base/percent.h"
#include "simulate/replay.h"
#include "workload/lane_names.h"

// The replay is laid over the recording: each start is compared with the recorded one, and what its latest dependency
// already was late is taken off, so that a departure is reported where it arises and not along all that follows from
// it.

namespace orrery::analyze {
namespace {

constexpr DiagnosticKind kNoDuration{"R401", Severity::warning, "device work or communication without recorded times",
                                     "it takes no time"};
constexpr DiagnosticKind kNoStarts{"R402", Severity::note, "rank without recorded starts",
                                   "there is nothing to compare its replay with"};
constexpr DiagnosticKind kContradicted{
    "R403", Severity::warning, "dependency that the recording contradicts",
    "one started before the other had ended; the replay makes it wait and comes out later"};
constexpr DiagnosticKind kOnItsOwn{
    "R404", Severity::note, "communication that was replayed without its partners",
    "it takes as long as recorded, waiting included; give the files of all ranks to replay them together"};

// As Workload::describe, with the number of the rank's file: a single file of many is rank 0 of its workload, whatever
// it is called.
std::string describe_place(const ReplayAnswer& answer, std::size_t rank, std::size_t activity) {
  const std::string text = answer.workload.describe(rank, activity);
  return fmt::format("rank {}{}", answer.rank_numbers[rank], text.substr(text.find(',')));
}

std::string describe_place(const ReplayAnswer& answer, ReplaySummary::Place place) {
  return describe_place(answer, place.rank, place.activity);
}

}  // namespace

void remark_on_replay(const ReplayAnswer& answer, Diagnostics& diagnostics) {
  const ReplaySummary& summary = answer.summary;
  if (summary.without_duration > 0)
    diagnostics.add_many(kNoDuration, summary.without_duration, describe_place(answer, summary.first_without_duration));
  if (summary.contradicted > 0) {
    diagnostics.add_many(kContradicted, summary.contradicted,
                         fmt::format("{} after {}", describe_place(answer, summary.first_contradicted_target),
                                     describe_place(answer, summary.first_contradicted_source)));
  }
  for (std::size_t rank = 0; rank < summary.ranks.size(); ++rank) {
    if (summary.ranks[rank].recorded_ps == 0)
      diagnostics.add(kNoStarts, [&] { return fmt::format("rank {}", answer.rank_numbers[rank]); });
  }
}

void remark_on_missing_partners(const ReplayAnswer& answer, Diagnostics& diagnostics) {
  for (std::size_t rank = 0; rank < answer.workload.rank_count(); ++rank) {
    const workload::Program& program = answer.workload.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (workload::is_communication(program.kinds[i]))
        diagnostics.add(kOnItsOwn, [&] { return describe_place(answer, rank, i); });
    }
  }
}

namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

std::string_view departed_name(const ReplayAnswer& answer, const Departure& departure) {
  const workload::Program& program = answer.workload.program(departure.rank);
  const StringId name = program.names[departure.activity];
  return name != 0 ? answer.workload.strings.text(name) : to_string(program.kinds[departure.activity]);
}

}  // namespace

Sheet replayed_ranks_sheet(const ReplayAnswer& answer) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "nodes", .type = Type::integer})
      .add({.name = "begin", .type = Type::time, .unit = Unit::us})
      .add({.name = "finish", .type = Type::time, .unit = Unit::us})
      .add({.name = "replayed", .type = Type::time, .unit = Unit::us, .title = "replayed"})
      .add({.name = "recorded", .type = Type::time, .unit = Unit::us, .title = "recorded"})
      .add({.name = "residual",
            .type = Type::real,
            .unit = Unit::pct,
            .title = "residual",
            .is_change = true,
            .decimals = 2})
      .add({.name = "compute", .type = Type::time, .unit = Unit::us, .title = "computing"})
      .add({.name = "communication", .type = Type::time, .unit = Unit::us})
      .add({.name = "exposed_comm", .type = Type::time, .unit = Unit::us, .title = "exposed communication"})
      .add({.name = "exposed_comm_share", .type = Type::real, .unit = Unit::pct, .title = "share"});
  for (std::size_t r = 0; r < answer.summary.ranks.size(); ++r) {
    const RankReplay& replay = answer.summary.ranks[r];
    const simulate::RankUse& use = answer.schedule.ranks[r];
    // A recording of no length is none: a residual against it would be a division by nothing.
    const bool is_recorded = replay.recorded_ps != 0;
    sheet.add_row({answer.rank_numbers[r], answer.workload.program(r).size(), replay.begin_ps, use.finish_ps,
                   replay.replayed_ps, is_recorded ? Cell(replay.recorded_ps) : Cell(nullptr),
                   is_recorded ? Cell(residual_percent(replay)) : Cell(nullptr), use.compute_ps, use.communication_ps,
                   use.exposed_ps, share_percent(use.exposed_ps, replay.replayed_ps)});
  }
  return sheet;
}

Sheet lanes_sheet(const ReplayAnswer& answer, std::optional<std::size_t> only) {
  Sheet sheet("lanes");
  const std::string title = only ? fmt::format("of rank {}", answer.rank_numbers[*only]) : "thread or stream";
  sheet.add({.name = "rank", .type = Type::integer})
      .add({.name = "lane", .title = title})
      .add({.name = "activities", .type = Type::integer, .title = "activities"})
      .add({.name = "busy", .type = Type::time, .unit = Unit::us, .title = "busy"})
      .add({.name = "busy_share", .type = Type::real, .unit = Unit::pct, .title = "share"});
  for (std::size_t r = 0; r < answer.summary.ranks.size(); ++r) {
    if (only && *only != r) continue;
    const RankReplay& replay = answer.summary.ranks[r];
    for (const LaneUse& lane : replay.lanes) {
      sheet.add_row({answer.rank_numbers[r], workload::lane_name({lane.kind, lane.number}), lane.activities,
                     lane.busy_ps, share_percent(lane.busy_ps, replay.replayed_ps)});
    }
  }
  return sheet;
}

Sheet departures_sheet(const ReplayAnswer& answer) {
  Sheet sheet("departures");
  sheet.add({.name = "name", .title = "departs most from the recording"})
      .add({.name = "rank", .type = Type::integer, .title = "rank", .decimals = report::kExact})
      .add({.name = "id", .type = Type::integer, .title = "node", .decimals = report::kExact})
      .add({.name = "recorded_start", .type = Type::time, .unit = Unit::us, .title = "recorded start"})
      .add({.name = "replayed_start", .type = Type::time, .unit = Unit::us})
      .add({.name = "off", .type = Type::time, .unit = Unit::us, .title = "off by", .is_change = true})
      .add({.name = "arises", .type = Type::time, .unit = Unit::us, .title = "arises here", .is_change = true});
  for (const Departure& departure : answer.summary.departures) {
    sheet.add_row({departed_name(answer, departure), answer.rank_numbers[departure.rank],
                   answer.workload.program(departure.rank).ids[departure.activity], departure.recorded_ps,
                   departure.replayed_ps, departure.replayed_ps - departure.recorded_ps, departure.arises_ps});
  }
  return sheet;
}

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
  // Activities mostly stand in the order of time already, and looking is cheaper than sorting.
  if (!std::is_sorted(intervals.begin(), intervals.end(), sooner))
    std::sort(intervals.begin(), intervals.end(), sooner);
  TimePs busy = 0, until = std::numeric_limits<TimePs>::min();
  for (const Interval& interval : intervals) {
    // A union of intervals by start: each counts from where those before it end.
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
    // What takes no time keeps no lane busy, and would only count as an activity of it.
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
    // Work of the device and communication must take time; host operators and what only gives order need not.
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
    // A heap with the least of the worst on top, so that each offer costs a comparison and rarely more.
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
    // Of equals the first by place, whatever the order of offers: the list is the same every time.
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
    // Nothing recorded, nothing to compare with.
    if (program.starts_ps[i] == kNotRecorded) continue;
    const TimePs recorded = program.starts_ps[i] - origin;
    TimePs inherited = 0, released = std::numeric_limits<TimePs>::min();
    for (const graph::Slot slot : graph.incoming(i)) {
      const graph::NodeId source = graph.source(slot);
      if (program.starts_ps[source] == kNotRecorded) continue;
      const bool on_start = static_cast<Dependency>(graph.type(slot)) == Dependency::start;
      const TimePs allowed = program.starts_ps[source] - origin + (on_start ? 0 : program.duration_ps(source));
      const TimePs allows = on_start ? view.starts[source] : view.ends[source];
      // The dependency that releases last is the one whose lateness is inherited.
      if (allows > released) released = allows, inherited = allows - allowed;
      // The recording itself says that this dependency did not hold: it began before what it waits for was done.
      if (allowed <= recorded) continue;
      if (summary.contradicted++ > 0) continue;
      summary.first_contradicted_source = {view.rank, source};
      summary.first_contradicted_target = {view.rank, i};
    }
    const TimePs stretched =
        view.ends[i] - view.starts[i] - program.duration_ps(i);  // of communication: partners come earlier or later
    // What arises here is the lateness of its start that no dependency explains, and what it takes longer than
    // recorded.
    worst.offer({view.rank, i, recorded, view.starts[i], view.starts[i] - recorded - inherited + stretched});
  }
}

}  // namespace

double residual_percent(const RankReplay& rank) {
  return 100.0 * static_cast<double>(rank.replayed_ps - rank.recorded_ps) / static_cast<double>(rank.recorded_ps);
}

ReplaySummary summarize_replay(const workload::Workload& workload, const simulate::Schedule& schedule,
                               std::size_t departures) {
  // Recorded times are of some clock; the earliest start of all ranks is 0 in the replay.
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
