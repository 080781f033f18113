#include "causal/recorded_rank_graph.h"

#include <algorithm>
#include <limits>
#include <span>

#include "base/radix_sort.h"
#include "causal/device/communicating_works.h"
#include "causal/device/device_binding.h"
#include "causal/diagnostics.h"
#include "causal/host/handoffs.h"
#include "causal/host/host_lanes.h"
#include "causal/host/host_polls.h"
#include "causal/host/host_waits.h"
#include "causal/host/silent_waits.h"
#include "causal/moments.h"
#include "graph/builder.h"

// Moments and edges are added in an order that breaks ties of time: ends of device work, host chains, starts of device
// work. First every thread and stream is a plain chain; then each wait that can be explained (by a record, by what was
// seen to end with it) gets an edge from what it waited for, and its own segment shrinks to what it took after the
// release. So an edit that makes the awaited work shorter lets the thread go on earlier, and nothing is counted twice.

namespace orrery::causal {
namespace {

using trace::Activity;
using trace::EventIndex;

/// Whether of the host nothing was recorded but calls of the device's runtime: a profile of device activities.
bool has_only_calls(const trace::RankTrace& rank) {
  bool has_call = false;
  for (EventIndex e = 0; e < rank.event_count(); ++e) {
    if (!is_host_work(rank.activity(e))) continue;
    if (rank.activity(e) != Activity::runtime_call) return false;
    has_call = true;
  }
  return has_call;
}

class RankGraphMaker {
 public:
  RankGraphMaker(const trace::Trace& trace, const trace::RankTrace& rank, const DeviceTimeline& timeline,
                 const StepWindow& window, const trace::ContentOrder& content, Diagnostics& diagnostics)
      : trace_(trace),
        rank_(rank),
        timeline_(timeline),
        window_(window),
        content_(content),
        communication_(trace, rank),
        diagnostics_(diagnostics),
        lanes_(make_host_lanes(trace, rank, window, content)),
        binding_(timeline, window),
        communicates_(communicating_works(trace, rank, timeline, content)),
        uses_xla_runtime_(!timeline.works.empty() && causal::uses_xla_runtime(trace, rank)),
        has_only_calls_(has_only_calls(rank)) {}

  Result<RankGraph> make() {
    // At one and the same time, the end of work comes before what the host does about it, and that before the work it
    // starts.
    const std::vector<HostPoll> loops = merge_polling_loops(trace_, rank_, communication_, timeline_, lanes_);
    begin_ = moments_.add(window_.begin, kNoWork);
    add_work_ends();
    add_host_chains();
    const Handoffs handoffs =
        find_handoffs(trace_, rank_, lanes_, communication_, find_asked_collectives(trace_, rank_, content_));
    add_handoffs(handoffs);
    add_device_work();
    add_host_waits();
    add_polls(loops);
    add_polls(find_unseen_polls(trace_, rank_, communication_, timeline_, lanes_, handoffs.waits));
    add_silent_waits();
    end_ = moments_.add(window_.end, kNoWork);
    add_end();
    return finish();
  }

 private:
  // --- host threads ---

  /// Moments and edges of a lane are added one after the other, so that their first numbers tell all.
  struct LaneNumbers {
    std::uint32_t first_moment = 0;      // that of boundary 0: of the lane, or the begin of the window
    std::uint32_t second_moment = 0;     // that of boundary 1
    std::uint32_t first_edge = 0;        // of segment 0
    std::uint32_t entry_edge = kNoWork;  // from the begin of the window, if the lane starts later
  };
  [[nodiscard]] std::uint32_t moment(std::uint32_t lane, std::uint32_t boundary) const {
    return boundary == 0 ? numbers_[lane].first_moment : numbers_[lane].second_moment + boundary - 1;
  }
  [[nodiscard]] std::uint32_t segment_edge(std::uint32_t lane, std::uint32_t segment) const {
    return numbers_[lane].first_edge + segment;
  }

  /// Where operators were not recorded, a helper between two of its calls is as busy as the main thread is.
  EdgeKind kind_of(const Segment& segment, bool is_main) const {
    return kind_of_segment(trace_, rank_, communication_, segment, is_main || has_only_calls_);
  }

  void add_host_chains() {
    for (const HostLane& lane : lanes_) {
      const bool starts_with_window = lane.begin() <= window_.begin;
      std::uint32_t previous = starts_with_window ? begin_ : moments_.add(lane.begin(), lane.lane);
      LaneNumbers& numbers = numbers_.emplace_back();
      numbers.first_moment = previous;
      // Before its first event the main thread ran something that was not recorded; a helper had nothing to do.
      if (!starts_with_window) {
        numbers.entry_edge =
            moments_.connect(begin_, previous, lane.is_main ? EdgeKind::cpu_untraced : EdgeKind::idle_thread,
                             lane.begin() - window_.begin, graph::kNoTag);
      }
      for (std::uint32_t s = 0; s < lane.segment_count(); ++s) {
        const Segment segment = lane.segment(s);
        const std::uint32_t next = moments_.add(segment.end, lane.lane);
        const std::uint32_t edge =
            moments_.connect(previous, next, kind_of(segment, lane.is_main), segment.end - segment.begin, segment.top);
        if (s == 0) numbers.second_moment = next, numbers.first_edge = edge;
        previous = next;
      }
    }
    lane_number_.assign(rank_.lanes.size(), kNoWork);
    for (std::uint32_t l = 0; l < lanes_.size(); ++l) lane_number_[lanes_[l].lane] = l;
  }

  void add_handoffs(const Handoffs& handoffs) {
    if (handoffs.waits_not_compared != 0) {
      diagnostics_.add_many(kTooManyThreads, handoffs.waits_not_compared,
                            rank_.source.path + ": " + std::to_string(lanes_.size()) + " threads in the window");
    }
    for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
      for (std::uint32_t s = 0; s < lanes_[l].segment_count(); ++s) {
        if (handoffs.own_pause[l][s] != 0) moments_.set_kind(segment_edge(l, s), EdgeKind::cpu_untraced);
      }
    }
    for (std::size_t i = 0; i < handoffs.waits.size();) {
      std::size_t last = i;
      const auto same = [&](const Handoff& other) {
        return other.waiter == handoffs.waits[i].waiter && other.segment == handoffs.waits[i].segment;
      };
      while (last < handoffs.waits.size() && same(handoffs.waits[last])) ++last;
      add_wait(std::span(handoffs.waits).subspan(i, last - i));
      i = last;
    }
    for (const WakeUp& wake : handoffs.wakes) {
      const HostLane& waker = lanes_[wake.waker];
      hand_over(moment(wake.waker, wake.waker_at), waker.boundary_time(wake.waker_at), wake.worker, wake.woken_at,
                wake.waits ? waker.top(wake.waker_at) : graph::kNoTag,
                wake.waits ? kind_of(waker.segment(wake.waker_at), waker.is_main) : EdgeKind::handoff);
    }
    add_collective_starts(handoffs.starts);
  }

  // A segment that is a wait for other threads: all that it waits for.
  void add_wait(std::span<const Handoff> waits) {
    const std::uint32_t waiter = waits.front().waiter, number = waits.front().segment;
    const Segment wait = lanes_[waiter].segment(number);
    const auto end_of = [&](const Handoff& handoff) { return lanes_[handoff.worker].boundary_time(handoff.back_at); };
    TimePs released = wait.begin;
    bool handed_over = false;
    for (const Handoff& handoff : waits)
      released = std::max(released, end_of(handoff)), handed_over |= handoff.handed_over;
    // Whoever is the last to release the waiter, it takes the same time to go on: so all edges have that delay, and
    // another worker becomes the cause when an edit makes it the last.
    for (const Handoff& handoff : waits) {
      moments_.connect(moment(handoff.worker, handoff.back_at), moment(waiter, number + 1), EdgeKind::handoff,
                       std::min(wait.end - released, wait.end - end_of(handoff)), wait.top);
    }
    // Waiting takes no time of its own. Where the work had been given before, what came after it would have come
    // anyway.
    if (handed_over) moments_.set(segment_edge(waiter, number), EdgeKind::order, 0);
    else moments_.set(segment_edge(waiter, number), kind_of(wait, lanes_[waiter].is_main), wait.end - released);
    for (const Handoff& handoff : waits) {
      if (handoff.given_at)
        hand_over(moment(waiter, number), wait.begin, handoff.worker, *handoff.given_at, wait.top, EdgeKind::handoff);
    }
  }

  // A collective of the host begins when it has been asked for and its thread is free; the later of the two is what it
  // waited for.
  void add_collective_starts(const std::vector<CollectiveStart>& starts) {
    struct Start {
      const CollectiveStart* what;
      TimePs after_call;
      bool by_call;
    };
    std::vector<Start> all;
    // The shortest way from a call to the begin of its collective, seen where nothing else held the thread.
    TimePs least = std::numeric_limits<TimePs>::max();
    for (const CollectiveStart& start : starts) {
      const HostLane& worker = lanes_[start.worker];
      const TimePs begins = worker.boundary_time(start.begins_at),
                   called = lanes_[start.caller].boundary_time(start.call_at);
      const bool is_first = start.begins_at == 0;
      const bool was_pausing = !is_first && worker.top(start.begins_at - 1) == kNoEvent;
      const TimePs free_since = is_first      ? window_.begin
                                : was_pausing ? worker.boundary_time(start.begins_at - 1)
                                              : begins;
      all.push_back({&start, begins - called, (is_first || was_pausing) && called >= free_since});
      if (all.back().by_call) least = std::min(least, begins - called);
    }
    for (const Start& start : all) {
      const CollectiveStart& what = *start.what;
      const std::uint32_t call = moment(what.caller, what.call_at);
      if (start.by_call) {
        hand_over(call, lanes_[what.caller].boundary_time(what.call_at), what.worker, what.begins_at, graph::kNoTag,
                  EdgeKind::handoff);
        continue;
      }
      // The thread was busy when it was asked, and that is what the start waited for. The call stays a cause with the
      // shortest delay seen, so that it binds if the thread would be free earlier.
      moments_.connect(call, moment(what.worker, what.begins_at), EdgeKind::handoff, std::min(least, start.after_call),
                       graph::kNoTag);
      // Free and asked already, yet it paused: that is the handing over, not idle time.
      const bool was_pausing = what.begins_at > 0 && lanes_[what.worker].top(what.begins_at - 1) == kNoEvent;
      if (was_pausing) moments_.set_kind(segment_edge(what.worker, what.begins_at - 1), EdgeKind::handoff);
    }
  }

  // The worker begins because of what happened at moment `from`, and its pause before that takes no time of its own.
  void hand_over(std::uint32_t from, TimePs from_time, std::uint32_t worker, std::uint32_t boundary, std::uint32_t tag,
                 EdgeKind kind) {
    const TimePs begins = lanes_[worker].boundary_time(boundary);
    TimePs delay = begins - from_time;
    if (const std::uint32_t work = awaited_by_helper(from_time, begins); work != kNoWork) {
      const TimePs after = begins - timeline_.works[work].end;
      moments_.connect(work_end_[work], moment(worker, boundary), EdgeKind::sync_return, after, graph::kNoTag);
      delay = std::min(delay, after), kind = EdgeKind::handoff;  // had the device been done already
    }
    moments_.connect(from, moment(worker, boundary), kind, delay, tag);
    const std::uint32_t pause = boundary > 0 ? segment_edge(worker, boundary - 1) : numbers_[worker].entry_edge;
    if (pause != kNoWork) moments_.set(pause, EdgeKind::order, 0);
  }

  // What XLA's runtime gives to a helper is done when the device has come that far: what ended last before the helper
  // began. kNoWork: it began when it was given that.
  [[nodiscard]] std::uint32_t awaited_by_helper(TimePs given, TimePs begins) const {
    if (!uses_xla_runtime_ || begins - given < kShortestSilence) return kNoWork;
    const std::uint32_t work = last_ended(timeline_, std::max(given, begins - kLongestCallback), begins);
    return work == kNoWork || work_end_[work] == kNoWork || timeline_.works[work].end >= begins ? kNoWork : work;
  }

  // The moment at which a host call was left; kNoWork if it lies outside the window or on a lane that takes no part.
  std::uint32_t moment_of_return(EventIndex call) const {
    const std::uint32_t lane = lane_number_[rank_.lane[call]];
    if (lane == kNoWork) return kNoWork;
    const std::uint32_t boundary = lanes_[lane].boundary_at(rank_.end(call));
    return boundary == kNoWork ? kNoWork : moment(lane, boundary);
  }

  // The moment of a call's thread at `time`, in the call or where it was left. A call that took no time has none of its
  // own: the last one before stands for it, and `time` becomes that one's.
  std::uint32_t moment_of_call(EventIndex call, TimePs& time) const {
    const std::uint32_t lane = lane_number_[rank_.lane[call]];
    if (lane == kNoWork || rank_.start[call] < lanes_[lane].begin()) return kNoWork;
    const std::uint32_t boundary = lanes_[lane].last_boundary_until(time);
    time = lanes_[lane].boundary_time(boundary);
    return moment(lane, boundary);
  }

  // --- device ---

  EdgeKind kind_of(std::uint32_t w) const {
    switch (rank_.activity(timeline_.works[w].event)) {
      case Activity::memory_copy: return EdgeKind::memory_copy;
      case Activity::memory_set: return EdgeKind::memory_set;
      default: return communicates_[w] != 0 ? EdgeKind::communication : EdgeKind::kernel;
    }
  }

  void add_work_ends() {
    work_start_.assign(timeline_.works.size(), kNoWork);
    work_end_.assign(timeline_.works.size(), kNoWork);
    for (std::uint32_t w = 0; w < timeline_.works.size(); ++w) {
      const DeviceWork& work = timeline_.works[w];
      // Work without extent gets its end behind its start, in add_device_work: what is added later comes later at one
      // time.
      if (binding_.takes_part(w) && work.start < work.end)
        work_end_[w] = moments_.add(work.end, rank_.lane[work.event]);
    }
  }

  void add_device_work() {
    for (std::uint32_t w = 0; w < timeline_.works.size(); ++w) {
      if (!binding_.takes_part(w)) continue;
      const DeviceWork& work = timeline_.works[w];
      // What was under way when the window began starts with it, and needs no cause.
      const bool clipped = work.start <= window_.begin;
      work_start_[w] = clipped ? begin_ : moments_.add(work.start, rank_.lane[work.event]);
      if (!clipped) explain_start(w);
      if (work.start == work.end) work_end_[w] = moments_.add(work.end, rank_.lane[work.event]);
      moments_.connect(work_start_[w], work_end_[w], kind_of(w), work.end - std::max(work.start, window_.begin),
                       work.event);
    }
  }

  void explain_start(std::uint32_t w) {
    const DeviceWork& work = timeline_.works[w];
    if (work.call != kNoEvent && work.call_start > work.start)
      diagnostics_.add(kWorkBeforeCall, [&] { return std::string(trace_.name(rank_, work.event)); });
    for (const StartCause& cause : binding_.causes(w)) {
      std::uint32_t from = begin_;
      TimePs from_time = cause.time;
      if (cause.time > window_.begin) {
        if (cause.work == kNoWork) from = moment_of_call(work.call, from_time);
        else from = cause.from_start ? work_start_[cause.work] : work_end_[cause.work];
      }
      // A launch from a thread outside the graph still happened then; its place is taken by the begin of the window.
      if (from == kNoWork) from = begin_, from_time = window_.begin;
      const TimePs weight = cause.delay + (cause.time - from_time);
      // The time of an edge belongs to what takes it: the call, the kernel that left no room, or the work that is
      // delayed.
      const EventIndex owner = cause.kind == EdgeKind::cpu_runtime ? work.call
                               : cause.kind == EdgeKind::kernel    ? timeline_.works[cause.work].event
                                                                   : work.event;
      moments_.connect(from, work_start_[w],
                       cause.kind == EdgeKind::order && weight > 0 ? EdgeKind::kernel_gap : cause.kind, weight, owner);
    }
  }

  // What happens at `time` could happen because the work had come so far, though not to its end.
  void connect_part(std::uint32_t w, std::uint32_t to, TimePs time) {
    const DeviceWork& work = timeline_.works[w];
    moments_.connect(work_start_[w], to, kind_of(w), time - std::max(work.start, window_.begin), work.event);
  }

  void add_host_waits() {
    const std::vector<HostWait> waits = find_host_waits(trace_, rank_, timeline_, content_, diagnostics_);
    for (std::size_t i = 0; i < waits.size();) {
      const EventIndex call = waits[i].call;
      std::size_t last = i;
      TimePs released = std::numeric_limits<TimePs>::min();
      for (; last < waits.size() && waits[last].call == call; ++last) {
        if (is_held(waits[last])) released = std::max(released, released_at(waits[last]));
      }
      add_waits_of_call(call, std::span(waits).subspan(i, last - i), released);
      i = last;
    }
  }

  // Whether both ends of the wait are in the graph, in this order: work without extent comes after a call that returns
  // at the same time.
  [[nodiscard]] bool is_held(const HostWait& wait) const {
    const DeviceWork& work = timeline_.works[wait.work];
    return work_end_[wait.work] != kNoWork && (work.start < work.end || work.end < rank_.end(wait.call)) &&
           work.start < rank_.end(wait.call);
  }

  [[nodiscard]] TimePs released_at(const HostWait& wait) const {
    return std::min(timeline_.works[wait.work].end, rank_.end(wait.call));
  }

  void add_waits_of_call(EventIndex call, std::span<const HostWait> waits, TimePs released) {
    const TimePs left = rank_.end(call);
    const std::uint32_t returned = moment_of_return(call);
    // What it waited for was over before the window began: the call keeps the time that was recorded.
    if (returned == kNoWork || released <= window_.begin) return;
    const TimePs return_delay = left - std::max(released, rank_.start[call]);
    for (const HostWait& wait : waits) {
      if (!is_held(wait)) continue;
      const TimePs ended = timeline_.works[wait.work].end;
      if (ended > left) connect_part(wait.work, returned, left);
      else
        moments_.connect(work_end_[wait.work], returned, EdgeKind::sync_return, std::min(return_delay, left - ended),
                         call);
    }
    if (released <= rank_.start[call]) return;
    // Had there been nothing to wait for, the call would have taken no longer than it took after the release.
    const std::uint32_t lane = lane_number_[rank_.lane[call]];
    const std::uint32_t boundary = lanes_[lane].boundary_at(left);
    const Segment segment = lanes_[lane].segment(boundary - 1);
    moments_.set(segment_edge(lane, boundary - 1), EdgeKind::cpu_runtime,
                 std::min(return_delay, segment.end - segment.begin));
  }

  void add_silent_waits() {
    for (const SilentWait& wait : find_silent_waits(trace_, rank_, timeline_, lanes_)) {
      const Segment segment = lanes_[wait.lane].segment(wait.segment);
      const DeviceWork& work = timeline_.works[wait.work];
      // Work without extent is numbered behind what the host does at the same time: an edge back would close a circle.
      if (work_end_[wait.work] == kNoWork || (work.start == work.end && work.end >= segment.end)) continue;
      // Had there been nothing to wait for, the thread would have gone on as soon after as it did.
      const TimePs after = segment.end - work.end;
      moments_.connect(work_end_[wait.work], moment(wait.lane, wait.segment + 1), EdgeKind::sync_return, after,
                       segment.top);
      moments_.limit(segment_edge(wait.lane, wait.segment), after);
    }
  }

  // Asking takes no time of its own: without the work the first answer would have been the last.
  void add_polls(const std::vector<HostPoll>& polls) {
    for (const HostPoll& poll : polls) {
      const Segment segment = lanes_[poll.lane].segment(poll.segment);
      const DeviceWork& work = timeline_.works[poll.work];
      if (work_end_[poll.work] == kNoWork || work.start >= segment.end) continue;
      const std::uint32_t went_on = moment(poll.lane, poll.segment + 1);
      const TimePs own = std::max<TimePs>(0, segment.end - std::max(work.end, segment.begin));
      if (work.end > segment.end) connect_part(poll.work, went_on, segment.end);
      else moments_.connect(work_end_[poll.work], went_on, EdgeKind::sync_return, segment.end - work.end, segment.top);
      moments_.set(segment_edge(poll.lane, poll.segment), kind_of(segment, lanes_[poll.lane].is_main), own);
    }
  }

  // --- the end ---

  void add_end() {
    const auto connect_lane = [&](std::uint32_t l) {
      moments_.connect(moment(l, lanes_[l].segment_count()), end_, EdgeKind::order, 0, graph::kNoTag);
    };
    // A step is over when its main thread is; helpers may go on into the next one. A whole trace ends with the last of
    // all.
    for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
      if (window_.is_whole_trace || lanes_[l].is_main) connect_lane(l);
    }
    for (const auto& queue : timeline_.by_queue) {
      std::uint32_t last = kNoWork;
      for (const std::uint32_t w : queue) {
        const DeviceWork& work = timeline_.works[w];
        // What was launched behind the step belongs to the next one, though it may run beside this one.
        if (work_end_[w] == kNoWork || (!window_.is_whole_trace && attributed_at(work) >= window_.host_end)) continue;
        if (last == kNoWork || work.end >= timeline_.works[last].end) last = w;
      }
      if (last != kNoWork) moments_.connect(work_end_[last], end_, EdgeKind::order, 0, graph::kNoTag);
    }
  }

  Result<RankGraph> finish() {
    // All that is needed of them is in the moments, which need room to become a graph.
    std::vector<HostLane>().swap(lanes_);
    work_start_ = {}, work_end_ = {};
    Result<RankGraph> step = number_rank_graph({trace_, rank_, timeline_, content_}, window_, moments_, begin_, end_);
    if (!step) return step;
    step->typical_launch_delay = binding_.typical_launch_delay();
    step->typical_kernel_gap = binding_.typical_kernel_gap();
    return step;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const DeviceTimeline& timeline_;
  const StepWindow& window_;
  const trace::ContentOrder& content_;
  HostCommunication communication_;
  Diagnostics& diagnostics_;
  std::vector<HostLane> lanes_;
  DeviceBinding binding_;
  std::vector<std::uint8_t> communicates_;  // per work
  bool uses_xla_runtime_;
  bool has_only_calls_;
  Moments moments_;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::vector<LaneNumbers> numbers_;                  // per host lane
  std::vector<std::uint32_t> lane_number_;            // trace lane -> host lane
  std::vector<std::uint32_t> work_start_, work_end_;  // per work: its moments
};

}  // namespace

Result<RankGraph> make_recorded_rank_graph(const RankSource& source, const StepWindow& window,
                                           Diagnostics& diagnostics) {
  return RankGraphMaker(source.trace, source.rank, source.timeline, window, source.content, diagnostics).make();
}

}  // namespace orrery::causal
