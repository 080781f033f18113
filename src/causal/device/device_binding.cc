#include "causal/device/device_binding.h"

#include <algorithm>

#include "base/statistics.h"

// Causes are collected, each with the moment from which the work could have started on its account: waits between
// streams, the work before it on the stream, the launch. The latest binds and takes all that is left of the delay. If
// even that leaves more than 20 us, what was not recorded is looked for: work of another stream that ended just then, a
// kernel that filled the device, of the first work of a stream what ran before the recording, and as the last resort an
// idle device.

namespace orrery::causal {
namespace {

// A gap on a stream that is longer than this needs another explanation than the time the device takes to go on.
constexpr TimePs kLongestPlainGap = 20 * kPsPerUs;
// A launch takes 5 to 50 us. What starts later than this, after the call too, was held by something that was not
// recorded.
constexpr TimePs kLongestPlainLaunch = 100 * kPsPerUs;
// Neighbours in the order of ends; further ones would be guesses.
constexpr int kLookBack = 8;

}  // namespace

DeviceBinding::DeviceBinding(const DeviceTimeline& timeline, const StepWindow& window)
    : timeline_(timeline), window_(window) {
  previous_.assign(timeline.works.size(), kNoWork);
  for (const auto& queue : timeline.by_queue) {
    for (std::size_t i = 1; i < queue.size(); ++i) previous_[queue[i]] = queue[i - 1];
  }
  waits_.resize(timeline.works.size());
  for (const StreamWait& wait : timeline.stream_waits) waits_[wait.before].push_back(wait.after);
  measure_typical_delays();
}

void DeviceBinding::measure_typical_delays() {
  std::vector<TimePs> launches, entries, gaps;
  for (std::uint32_t w = 0; w < timeline_.works.size(); ++w) {
    if (!takes_part(w)) continue;
    const DeviceWork& work = timeline_.works[w];
    const std::uint32_t p = previous_[w];
    // Only where nothing else can have held it up does the delay say what a launch takes, or a gap what the device
    // takes to go on.
    const TimePs submitted = submitted_at(work);
    const bool stream_was_idle = p == kNoWork || timeline_.works[p].end <= submitted;
    if (work.call != kNoEvent && stream_was_idle && work.start >= submitted) {
      if (work.submission == Submission::at_return) launches.push_back(work.start - submitted);
      if (work.submission == Submission::at_entry || work.submission == Submission::inside)
        entries.push_back(work.start - submitted);
    }
    if (p != kNoWork && work.call_start < timeline_.works[p].end && work.start >= timeline_.works[p].end)
      gaps.push_back(work.start - timeline_.works[p].end);
  }
  // The tenth percentile: most delays contain some waiting that was not recorded, the shortest do not.
  launch_delay_ = std::min(tenth_percentile(launches), kLongestPlainLaunch);
  entry_delay_ = std::min(tenth_percentile(entries), kLongestPlainLaunch);
  kernel_gap_ = std::min(tenth_percentile(gaps), kLongestPlainGap);
}

bool DeviceBinding::takes_part(std::uint32_t w) const {
  const DeviceWork& work = timeline_.works[w];
  // By its end: work that runs on into the next step is that step's to explain.
  return work.end > window_.begin && work.end <= window_.end;
}

StartCause DeviceBinding::cause_of(std::uint32_t before, std::uint32_t w, EdgeKind kind) const {
  const TimePs time = std::max(timeline_.works[before].end, window_.begin);
  return {before, false, kind, time, std::min(kernel_gap_, timeline_.works[w].start - time)};
}

std::uint32_t DeviceBinding::ended_just_before(std::uint32_t w, TimePs after) const {
  const DeviceWork& work = timeline_.works[w];
  const auto at = std::upper_bound(timeline_.by_end.begin(), timeline_.by_end.end(), work.start,
                                   [&](TimePs time, std::uint32_t o) { return time < timeline_.works[o].end; });
  const std::int64_t device = timeline_.queues[work.queue].device;
  int looked = 0;
  for (auto back = at; back != timeline_.by_end.begin() && looked < kLookBack; ++looked) {
    const DeviceWork& other = timeline_.works[*--back];
    // Further back only older ends follow, which explain even less.
    if (other.end <= after || work.start - other.end > kLongestPlainGap) break;
    if (other.queue != work.queue && timeline_.queues[other.queue].device == device && other.start < work.start)
      return *back;
  }
  return kNoWork;
}

std::uint32_t DeviceBinding::filled_device(std::uint32_t w) const {
  const DeviceWork& work = timeline_.works[w];
  if (!work.may_fill_device) return kNoWork;
  const std::int64_t device = timeline_.queues[work.queue].device;
  // Of several kernels, the one that ends first makes room first.
  auto at = std::upper_bound(timeline_.by_end.begin(), timeline_.by_end.end(), work.start,
                             [&](TimePs time, std::uint32_t o) { return time < timeline_.works[o].end; });
  for (int looked = 0; at != timeline_.by_end.end() && looked < kLookBack; ++at, ++looked) {
    const DeviceWork& other = timeline_.works[*at];
    if (!other.may_fill_device || other.queue == work.queue || timeline_.queues[other.queue].device != device) continue;
    // It must have started well before, and have more of its time behind than ahead of it: the tail of a kernel leaves
    // room.
    if (work.start - other.start > kLongestPlainGap && work.start - other.start >= other.end - work.start &&
        takes_part(*at))
      return *at;
  }
  return kNoWork;
}

bool DeviceBinding::follows_earlier_work(std::uint32_t w) const {
  const DeviceWork& work = timeline_.works[w];
  if (previous_[w] != kNoWork || work.call == kNoEvent || work.call_start > work.start) return false;
  const TimePs waited = work.start - work.call_end;
  return waited > kLongestPlainLaunch && waited > work.call_end - timeline_.recorded_from;
}

TimePs DeviceBinding::occupied_until(std::uint32_t queue) const {
  const std::vector<std::uint32_t>& works = timeline_.by_queue[queue];
  if (works.empty() || !follows_earlier_work(works.front())) return window_.begin;
  const bool is_occupied = causes(works.front()).front().kind == EdgeKind::earlier_work;
  return is_occupied ? std::max(timeline_.works[works.front()].start, window_.begin) : window_.begin;
}

StartCause DeviceBinding::cause_of_launch(const DeviceWork& work) const {
  if (work.submission == Submission::at_return) {
    const TimePs time = std::max(work.call_end, window_.begin);
    return {kNoWork, false, EdgeKind::launch_delay, time, std::min(launch_delay_, work.start - time)};
  }
  const TimePs time = std::max(work.call_start, window_.begin);
  // No later than the start, and no earlier than the lead allows.
  if (work.submission == Submission::before_return)
    return {kNoWork, false, EdgeKind::cpu_runtime, time,
            std::max<TimePs>(0, std::min(work.start, work.call_end - kLongestLead) - time)};
  const EdgeKind kind = work.submission == Submission::within   ? EdgeKind::memory_copy
                        : work.submission == Submission::inside ? EdgeKind::cpu_runtime
                                                                : EdgeKind::launch_delay;
  return {kNoWork, false, kind, time, std::min(entry_delay_, work.start - time)};
}

std::vector<StartCause> DeviceBinding::causes(std::uint32_t w) const {
  const DeviceWork& work = timeline_.works[w];
  std::vector<StartCause> causes;
  for (const std::uint32_t before : waits_[w]) {
    if (timeline_.works[before].end <= work.start) causes.push_back(cause_of(before, w, EdgeKind::stream_wait));
  }
  // The work before it on its stream; where streams overlap their work (graphs, programmatic launch), the last that had
  // ended.
  std::uint32_t p = previous_[w];
  for (int looked = 0; p != kNoWork && timeline_.works[p].end > work.start && looked < kLookBack; ++looked) {
    // It did not wait for the end of what it overlaps, but the stream had begun that before.
    if (looked == 0) causes.push_back({p, true, EdgeKind::order, std::max(timeline_.works[p].start, window_.begin), 0});
    p = previous_[p];
  }
  if (p != kNoWork && timeline_.works[p].end <= work.start) causes.push_back(cause_of(p, w, EdgeKind::kernel_gap));
  // A call that begins after its work is a clock that was corrected in between: it cannot be the cause.
  if (work.call != kNoEvent && work.call_start <= work.start) causes.push_back(cause_of_launch(work));
  if (causes.empty()) causes.push_back({kNoWork, false, EdgeKind::idle_device, window_.begin, 0});

  // What would have let it start last is what bound; it takes all of the delay. Among equals the first: waits, then
  // order, then launch.
  const auto ready = [](const StartCause& cause) { return cause.time + cause.delay; };
  auto bound = std::max_element(causes.begin(), causes.end(),
                                [&](const StartCause& a, const StartCause& b) { return ready(a) < ready(b); });
  if (work.start - ready(*bound) > kLongestPlainGap) {
    // More than the device needs to go on: a wait that was not recorded, if work of another stream ended just then.
    if (const std::uint32_t other = ended_just_before(w, ready(*bound)); other != kNoWork) {
      causes.push_back(cause_of(other, w, EdgeKind::stream_wait));
      bound = causes.end() - 1;
    } else if (const std::uint32_t kernel = filled_device(w); kernel != kNoWork) {
      causes.push_back({kernel, true, EdgeKind::kernel, std::max(timeline_.works[kernel].start, window_.begin), 0});
      bound = causes.end() - 1;
    } else if (follows_earlier_work(w)) {
      causes.push_back({kNoWork, false, EdgeKind::earlier_work, window_.begin, 0});
      bound = causes.end() - 1;
    } else if (bound->kind == EdgeKind::kernel_gap || bound->kind == EdgeKind::stream_wait ||
               bound->kind == EdgeKind::order ||
               (bound->kind == EdgeKind::launch_delay &&
                work.start - std::max(ready(*bound), work.call_end) > kLongestPlainLaunch)) {
      bound->kind = EdgeKind::idle_device;
    }
  }
  bound->delay = work.start - bound->time;
  std::rotate(causes.begin(), bound, bound + 1);
  return causes;
}

}  // namespace orrery::causal
