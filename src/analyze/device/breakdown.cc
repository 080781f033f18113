#include "analyze/device/breakdown.h"

#include <algorithm>
#include <set>

#include "analyze/device/device_rank.h"
#include "analyze/distribution.h"
#include "base/numbers.h"
#include "base/parallel.h"

// A sweep over the works of each device gives stretches in which the same kinds of work run. Busy ones are added up by
// the set of kinds, so that overlaps can be asked for later; idle ones are split at the call that launched what came
// next: before it the host was late, after it the reason is what bound that work in the causal graph.

namespace orrery::analyze {
namespace {

IdleReason reason_of(causal::EdgeKind bound) {
  switch (bound) {
    case causal::EdgeKind::launch_delay:
    case causal::EdgeKind::memory_copy: return IdleReason::launch_latency;
    case causal::EdgeKind::stream_wait:
    case causal::EdgeKind::kernel: return IdleReason::stream_wait;
    case causal::EdgeKind::kernel_gap:
    case causal::EdgeKind::order: return IdleReason::kernel_gap;
    case causal::EdgeKind::earlier_work: return IdleReason::earlier_work;
    default: return IdleReason::unknown;
  }
}

}  // namespace

const char* identifier(IdleReason reason) {
  static constexpr const char* kNames[] = {"host_wait",  "launch_latency", "stream_wait",
                                           "kernel_gap", "unknown",        "earlier_work"};
  return kNames[static_cast<std::size_t>(reason)];
}

const char* to_string(IdleReason reason) {
  static constexpr const char* kNames[] = {"waiting for the launch call", "launch latency",
                                           "waiting for another stream",  "between queued work",
                                           "idle, cause not recorded",    "work from before the recording"};
  return kNames[static_cast<std::size_t>(reason)];
}

GapReasons::GapReasons(const DeviceRank& devices)
    : devices_(devices),
      binding_(devices.timeline, devices.window),
      occupied_until_(devices.devices.size(), devices.window.begin) {
  for (std::uint32_t queue = 0; queue < devices.device_of_queue.size(); ++queue) {
    TimePs& until = occupied_until_[devices.device_of_queue[queue]];
    until = std::max(until, binding_.occupied_until(queue));
  }
}

GapPieces GapReasons::split_of_device(const Stretch& stretch) const {
  const TimePs occupied = std::clamp(occupied_until_[stretch.device], stretch.begin, stretch.end);
  GapPieces pieces = occupied < stretch.end ? split(occupied, stretch.end, stretch.next) : GapPieces{};
  pieces[static_cast<std::size_t>(IdleReason::earlier_work)] += occupied - stretch.begin;
  return pieces;
}

GapPieces GapReasons::split(TimePs begin, TimePs end, std::uint32_t next) const {
  GapPieces pieces = {};
  const auto at = [&](IdleReason reason) -> TimePs& { return pieces[static_cast<std::size_t>(reason)]; };
  if (next == causal::kNoWork) {
    // Nothing was launched any more: whatever the host did, it had no work for the device.
    at(IdleReason::host_wait) = end - begin;
    return pieces;
  }
  const causal::DeviceWork& work = devices_.timeline.works[next];
  const IdleReason bound = reason_of(binding_.causes(next).front().kind);
  if (bound == IdleReason::earlier_work) {
    // The stream had work, whatever the host did meanwhile.
    at(bound) = end - begin;
    return pieces;
  }
  // A call that begins after its work is a clock that was corrected in between: it says nothing about the gap.
  const bool knows_launch = work.call != causal::kNoEvent && work.call_start <= work.start;
  const TimePs launched = knows_launch ? std::clamp(causal::submitted_at(work), begin, end) : begin;
  at(IdleReason::host_wait) = launched - begin;
  if (launched < end) at(bound) += end - launched;
  return pieces;
}

void IdleTimes::add(const GapPieces& gap) {
  for (std::size_t r = 0; r < kIdleReasons; ++r) {
    if (gap[r] == 0) continue;
    time[r] += gap[r];
    pieces[r].push_back(gap[r]);
  }
}

TimePs IdleTimes::total() const {
  TimePs sum = 0;
  for (const TimePs part : time) sum = plus_capped(sum, part);
  return sum - earlier();
}

namespace {

constexpr std::size_t type_bit(WorkType type) { return std::size_t{1} << static_cast<std::size_t>(type); }

void add_stretch(DeviceTime& time, HostWaitCauses& causes, const Stretch& stretch, const GapReasons& reasons,
                 const HostHistory& history) {
  if (stretch.types != 0) {
    time.busy[stretch.types] += stretch.end - stretch.begin;
    return;
  }
  const GapPieces pieces = reasons.split_of_device(stretch);
  time.idle.add(pieces);
  const TimePs earlier = pieces[static_cast<std::size_t>(IdleReason::earlier_work)];
  time.busy[0] += stretch.end - stretch.begin - earlier;
  // It comes first: the device waits for the host only until the call.
  const TimePs waited = pieces[static_cast<std::size_t>(IdleReason::host_wait)];
  if (waited > 0) history.walk(stretch.begin + earlier, stretch.begin + earlier + waited, stretch.next, causes);
}

// How the window begins and ends, from the first and the last work in it.
void add_ends(const DeviceRank& devices, std::vector<DeviceTime>& times) {
  const causal::StepWindow& window = devices.window;
  std::vector<std::pair<TimePs, TimePs>> spans(times.size(), {window.end, window.begin});
  for (std::uint32_t w = 0; w < devices.timeline.works.size(); ++w) {
    if (!devices.in_window(w)) continue;
    auto& [first, last] = spans[devices.device_of(w)];
    first = std::min(first, std::max(devices.timeline.works[w].start, window.begin));
    last = std::max(last, std::min(devices.timeline.works[w].end, window.end));
  }
  for (std::size_t d = 0; d < times.size(); ++d) {
    const auto& [first, last] = spans[d];
    times[d].work_span = std::max<TimePs>(0, last - first);
    // While earlier work runs, the device is not idle; that ends where recorded work begins.
    times[d].leading = times[d].idle.earlier() > 0 ? 0 : first - window.begin;
    // A device without work in the window is idle before its first work, all the time.
    times[d].trailing = last >= first ? window.end - last : 0;
  }
}

std::vector<StreamTime> stream_times(const DeviceRank& devices, const GapReasons& reasons) {
  const causal::StepWindow& window = devices.window;
  std::vector<StreamTime> streams;
  for (std::size_t q = 0; q < devices.timeline.queues.size(); ++q) {
    StreamTime stream{.queue = devices.timeline.queues[q], .works = 0, .busy = 0, .idle = {}};
    TimePs until = window.begin;
    for (const std::uint32_t w : devices.timeline.by_queue[q]) {
      const causal::DeviceWork& work = devices.timeline.works[w];
      stream.works += devices.in_window(w) ? 1 : 0;
      const TimePs start = std::clamp(work.start, window.begin, window.end),
                   end = std::clamp(work.end, window.begin, window.end);
      // Works of a queue are by start; they may overlap where a recording is wrong, so only what is beyond is counted.
      if (start > until) stream.idle.add(reasons.split(until, start, w)), until = start;
      if (end > until) stream.busy += end - until, until = end;
    }
    if (until < window.end) stream.idle.add(reasons.split(until, window.end, causal::kNoWork));
    if (stream.works > 0) streams.push_back(std::move(stream));
  }
  return streams;
}

void add_times(DeviceTime& sum, const DeviceTime& time) {
  sum.window = plus_capped(sum.window, time.window);
  sum.work_span = plus_capped(sum.work_span, time.work_span);
  sum.leading = plus_capped(sum.leading, time.leading);
  sum.trailing = plus_capped(sum.trailing, time.trailing);
  for (std::size_t s = 0; s < kTypeSets; ++s) sum.busy[s] = plus_capped(sum.busy[s], time.busy[s]);
  for (std::size_t r = 0; r < kIdleReasons; ++r) {
    sum.idle.time[r] = plus_capped(sum.idle.time[r], time.idle.time[r]);
    sum.idle.pieces[r].insert(sum.idle.pieces[r].end(), time.idle.pieces[r].begin(), time.idle.pieces[r].end());
  }
}

template <typename Wanted>
TimePs sum_where(const DeviceTime& time, Wanted&& wanted) {
  TimePs sum = 0;
  for (std::size_t set = 1; set < kTypeSets; ++set) {
    if (wanted(set)) sum = plus_capped(sum, time.busy[set]);
  }
  return sum;
}

}  // namespace

TimePs DeviceTime::busy_time() const {
  return sum_where(*this, [](std::size_t) { return true; });
}

TimePs DeviceTime::time_of(WorkType type) const {
  return sum_where(*this, [&](std::size_t set) { return (set & type_bit(type)) != 0; });
}

TimePs DeviceTime::time_of_both(WorkType a, WorkType b) const {
  return sum_where(*this, [&](std::size_t set) { return (set & type_bit(a)) != 0 && (set & type_bit(b)) != 0; });
}

TimePs DeviceTime::exposed_communication() const {
  return sum_where(*this, [](std::size_t set) {
    return (set & type_bit(WorkType::communication)) != 0 && (set & type_bit(WorkType::computation)) == 0;
  });
}

TimePs DeviceTime::exposed_memory() const {
  return sum_where(*this, [](std::size_t set) {
    // Neither computing nor communicating: copies and sets.
    return (set & (type_bit(WorkType::communication) | type_bit(WorkType::computation))) == 0;
  });
}

RankBreakdown break_down(const DeviceRank& devices) {
  RankBreakdown result;
  result.devices = &devices;
  for (const std::int64_t device : devices.devices) {
    result.times.emplace_back();
    result.times.back().device = device;
    result.times.back().window = devices.window.span();
  }
  const GapReasons reasons(devices);
  const HostHistory history(devices);
  std::vector<HostWaitCauses> causes(devices.devices.size());
  sweep_devices(devices, [&](const Stretch& stretch) {
    add_stretch(result.times[stretch.device], causes[stretch.device], stretch, reasons, history);
  });
  for (std::size_t d = 0; d < causes.size(); ++d) result.times[d].host_waits = causes[d].take(devices);
  add_ends(devices, result.times);
  result.streams = stream_times(devices, reasons);
  result.host_annotations = annotation_times(devices, AnnotationSegments(devices, trace::Activity::annotation));
  result.device_annotations =
      annotation_times(devices, AnnotationSegments(devices, trace::Activity::device_annotation));
  return result;
}

std::vector<RankBreakdown> break_down(const std::vector<DeviceRank>& ranks) {
  std::vector<RankBreakdown> results(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) { results[r] = break_down(ranks[r]); });
  return results;
}

DeviceTime sum_of(const std::vector<RankBreakdown>& ranks) {
  DeviceTime sum;
  for (const RankBreakdown& rank : ranks) {
    for (const DeviceTime& time : rank.times) add_times(sum, time);
  }
  return sum;
}

std::vector<std::int64_t> step_numbers(const std::vector<DeviceRank>& ranks) {
  std::set<std::int64_t> numbers;
  for (const DeviceRank& devices : ranks) {
    std::int64_t place = -1;
    for (const trace::EventIndex e : causal::find_steps(*devices.trace, *devices.rank, devices.content)) {
      ++place;
      if (devices.rank->start[e] >= devices.window.end || devices.rank->end(e) <= devices.window.begin) continue;
      if (const auto number = devices.rank->field(trace::Field::step).find(e)) {
        numbers.insert(*number);
        continue;
      }
      const std::string_view name = devices.trace->name(*devices.rank, e);
      // "ProfilerStep#12", where no field says the number. An engine's steps have no numbers, and count from 0.
      const std::size_t hash = name.find('#');
      const std::optional<std::int64_t> number =
          hash == std::string_view::npos ? place : leading_number<std::int64_t>(name.substr(hash + 1));
      if (number) numbers.insert(*number);
    }
  }
  return {numbers.begin(), numbers.end()};
}

}  // namespace orrery::analyze
