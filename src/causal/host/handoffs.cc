#include "causal/host/handoffs.h"

#include <algorithm>
#include <tuple>

#include "causal/host/host_lanes.h"
#include "causal/host/silent_waits.h"

// Per waiter and segment, every thread that worked enough is considered by the rules of the header, in their order:
// work given during this wait or an earlier one, communication that ended meanwhile, and work that finished just before
// the waiter went on. What then still begins without a reason was woken by whatever ended last elsewhere (WakeUp). The
// comparisons are counted and limited: their number grows with the square of the threads.

namespace orrery::causal {
namespace {

constexpr TimePs kShortestWait = 20 * kPsPerUs;
/// What c10d does between the end of a collective and the return of wait(): 10 to 150 us in recordings, under load up
/// to 900.
constexpr TimePs kLongestReturn = 1000 * kPsPerUs;

// Waits are compared with every thread that worked long enough, which grows with the square of the threads. A trace of
// 200 threads that are all busy needs less than this.
constexpr std::uint64_t kComparisonsPerSegment = 256;

class HandoffSearch {
 public:
  HandoffSearch(const trace::Trace& trace, const trace::RankTrace& rank, const std::vector<HostLane>& lanes,
                const HostCommunication& communication, const std::vector<AskedCollective>& asked)
      : trace_(trace),
        rank_(rank),
        lanes_(lanes),
        communication_(communication),
        lane_number_(rank.lanes.size(), kNoWork),
        engaged_(lanes.size(), kNoWork) {
    for (std::uint32_t l = 0; l < lanes.size(); ++l) lane_number_[lanes[l].lane] = l;
    std::vector<std::vector<std::uint32_t>> asked_at(lanes.size());
    for (const AskedCollective& item : asked) add_start(item, asked_at);
    for (std::uint32_t l = 0; l < lanes.size(); ++l) {
      bursts_.push_back(find_bursts(lanes[l], asked_at[l]));
      std::vector<std::uint8_t>& is_explained = is_explained_.emplace_back();
      for (const Burst& burst : bursts_.back()) is_explained.push_back(burst.was_asked);
      result_.own_pause.emplace_back(lanes[l].segment_count(), 0);
      comparisons_left_ += kComparisonsPerSegment * lanes[l].segment_count();
      // Who never worked for half of the shortest wait is nobody's worker: with many threads, almost all.
      if (lanes[l].busy_between(0, lanes[l].segment_count()) >= kShortestWait / 2) workers_.push_back(l);
    }
    collect_ends();
  }

  Handoffs run() {
    for (std::uint32_t waiter = 0; waiter < lanes_.size() && lanes_.size() > 1; ++waiter) {
      for (const std::uint32_t worker : engaged_lanes_) engaged_[worker] = kNoWork;
      engaged_lanes_.clear();
      for (std::uint32_t s = 0; s < lanes_[waiter].segment_count(); ++s) look_at(waiter, s);
    }
    add_wakes();
    return std::move(result_);
  }

 private:
  struct Candidate {
    Handoff handoff;
    std::uint32_t first_burst = 0;
    std::uint32_t last_burst = 0;
  };
  /// The end of communication: when, and which boundary of which lane.
  struct CommunicationEnd {
    TimePs time;
    std::uint32_t lane;
    std::uint32_t boundary;
    auto operator<=>(const CommunicationEnd&) const = default;
  };
  /// The end of a segment in which a lane did something.
  struct WorkEnd {
    TimePs time;
    std::uint32_t lane;
    std::uint32_t boundary;
    std::size_t before_of_others;  ///< one more than the place of the last entry before this one that is of another
                                   ///< lane; 0: none
  };

  void add_start(const AskedCollective& item, std::vector<std::vector<std::uint32_t>>& asked_at) {
    const std::uint32_t worker = lane_number_[rank_.lane[item.collective]],
                        caller = lane_number_[rank_.lane[item.call]];
    // A thread that does what it asked for needs no explanation, and what lies outside of the window cannot give one.
    if (worker == kNoWork || caller == kNoWork || worker == caller || rank_.start[item.call] < lanes_[caller].begin())
      return;
    const std::uint32_t begins_at = lanes_[worker].boundary_at(rank_.start[item.collective]);
    if (begins_at == kNoWork) return;
    result_.starts.push_back({worker, begins_at, caller, lanes_[caller].last_boundary_until(rank_.start[item.call])});
    asked_at[worker].push_back(begins_at);
  }

  void collect_ends() {
    if (communication_.is_empty()) return;
    for (std::uint32_t l = 0; l < lanes_.size(); ++l) {
      for (std::uint32_t s = 0; s < lanes_[l].segment_count(); ++s) {
        const trace::EventIndex top = lanes_[l].top(s);
        if (top == kNoEvent || !communication_.contains(top)) continue;
        const std::uint32_t boundary = lanes_[l].boundary_at(rank_.end(top));
        if (boundary != kNoWork) ends_.push_back({rank_.end(top), l, boundary});
      }
    }
    std::sort(ends_.begin(), ends_.end());
    ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  }

  // In no operator or call: at most in an annotation, a Python frame, or the range of a data loader, all of which may
  // wait.
  [[nodiscard]] bool does_nothing(const Segment& segment) const {
    if (segment.top == kNoEvent) return true;
    switch (rank_.activity(segment.top)) {
      case trace::Activity::annotation: return !communication_.contains(segment.top);
      case trace::Activity::python: return true;
      default:
        return segment.loads_data && trace_.name(rank_, segment.top).find("DataLoader") != std::string_view::npos;
    }
  }

  void look_at(std::uint32_t waiter, std::uint32_t s) {
    const Segment wait = lanes_[waiter].segment(s);
    if (wait.end - wait.begin < kShortestWait) return;
    if (wait.top != kNoEvent && rank_.activity(wait.top) == trace::Activity::runtime_call) return;
    if (wait.top != kNoEvent && communication_.contains(wait.top)) return;
    found_.clear();
    // A helper outside of everything has nothing to do: it gives no work to anybody, and waits for nobody in
    // particular. See WakeUp.
    const bool is_idle = wait.top == kNoEvent && !lanes_[waiter].is_main;
    const bool may_compare = comparisons_left_ >= workers_.size();
    if (!may_compare && !is_idle) ++result_.waits_not_compared;
    for (std::size_t w = 0; w < workers_.size() && !is_idle && may_compare; ++w) {
      const std::uint32_t worker = workers_[w];
      if (worker == waiter) continue;
      --comparisons_left_;
      if (const auto candidate = consider_given(waiter, s, worker))
        found_.push_back(candidate->handoff), engage(*candidate);
      else if (const auto finished = consider_finished(waiter, s, worker))
        found_.push_back(finished->handoff), mark_pauses(worker, finished->last_burst);
    }
    add_communication(waiter, s);
    std::sort(found_.begin(), found_.end(), [](const Handoff& a, const Handoff& b) {
      return std::tuple(a.worker, a.back_at) < std::tuple(b.worker, b.back_at);
    });
    result_.waits.insert(result_.waits.end(), found_.begin(), found_.end());
  }

  void engage(const Candidate& candidate) {
    const std::uint32_t worker = candidate.handoff.worker;
    engaged_[worker] = candidate.last_burst;
    engaged_lanes_.push_back(worker);
    for (std::uint32_t b = candidate.first_burst; b <= candidate.last_burst; ++b) {
      is_explained_[worker][b] = 1;
      mark_pauses(worker, b);
    }
  }

  void mark_pauses(std::uint32_t worker, std::uint32_t b) {
    const Burst& burst = bursts_[worker][b];
    for (std::uint32_t i = burst.first; i < burst.last; ++i)
      result_.own_pause[worker][i] = lanes_[worker].top(i) == kNoEvent;
  }

  // By the second rule: communication of other threads that ended while this one did nothing.
  void add_communication(std::uint32_t waiter, std::uint32_t s) {
    const HostLane& lane = lanes_[waiter];
    const Segment wait = lane.segment(s);
    if (ends_.empty() || !does_nothing(wait)) return;
    // A worker that begins a collective was waiting for that to be asked for, not for another worker's.
    const bool has_next = s + 1 < lane.segment_count() && lane.top(s + 1) != kNoEvent;
    if (has_next && communication_.contains(lane.top(s + 1))) return;
    const auto first = std::upper_bound(ends_.begin(), ends_.end(), wait.begin,
                                        [](TimePs t, const CommunicationEnd& end) { return t < end.time; });
    const auto last = std::lower_bound(first, ends_.end(), wait.end,
                                       [](const CommunicationEnd& end, TimePs t) { return end.time < t; });
    TimePs latest = wait.begin;
    for (auto end = first; end != last; ++end) {
      if (end->lane != waiter) latest = std::max(latest, end->time);
    }
    // As in the third rule: it must have waited longer for the end than it took to go on after it.
    if (latest - wait.begin < wait.end - latest || wait.end - latest > kLongestReturn || latest == wait.begin) return;
    for (auto end = first; end != last; ++end) {
      if (end->lane == waiter) continue;
      const auto same = [&](const Handoff& other) {
        return other.worker == end->lane && other.back_at == end->boundary;
      };
      if (std::none_of(found_.begin(), found_.end(), same))
        found_.push_back({waiter, s, end->lane, std::nullopt, end->boundary, false});
    }
    // A helper that was idle until then goes on because of the collective.
    for (std::size_t b = 0; wait.top == kNoEvent && b < bursts_[waiter].size(); ++b) {
      if (bursts_[waiter][b].first == s + 1) is_explained_[waiter][b] = 1;
    }
  }

  // By the third rule: it finished just before the waiter went on.
  std::optional<Candidate> consider_finished(std::uint32_t waiter, std::uint32_t s, std::uint32_t worker) const {
    const Segment wait = lanes_[waiter].segment(s);
    const bool executes = waits_for_arguments(wait);
    if (wait.end - wait.begin <= kLongestPause || !(executes || does_nothing(wait))) return std::nullopt;
    const std::vector<Burst>& bursts = bursts_[worker];
    const auto after = std::lower_bound(bursts.begin(), bursts.end(), wait.end,
                                        [](const Burst& burst, TimePs t) { return burst.end < t; });
    if (after == bursts.begin()) return std::nullopt;
    const Burst& burst = *(after - 1);
    const TimePs longest_return =
        // A program that begins late for its arguments takes the longer to go on, the longer it waited.
        executes ? std::clamp((wait.end - wait.begin) / 10, kLongestPause, kLongestReturn) : kLongestPause;
    if (wait.end - burst.end > longest_return || burst.end - wait.begin < wait.end - burst.end ||
        burst.end <= wait.begin)
      return std::nullopt;
    if (executes && burst.end - std::max(burst.begin, wait.begin) < (wait.end - wait.begin) / 2) return std::nullopt;
    const bool may_be_given = executes ? seen_at_all(lanes_[waiter], burst.begin)
                                       : waits_for_lock(wait) || seen_working(lanes_[waiter], burst.begin);
    if (burst.begin <= wait.begin && !may_be_given) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(after - 1 - bursts.begin());
    return Candidate{{waiter, s, worker, std::nullopt, burst.last, false}, number, number};
  }

  // A program begins when its arguments are on their way: "[0] PjRtStreamExecutorRawLoadedExecutable::Execute".
  [[nodiscard]] bool waits_for_arguments(const Segment& segment) const {
    return segment.top != kNoEvent && segment.end - segment.begin >= kShortestSilence &&
           rank_.activity(segment.top) == trace::Activity::cpu_operator &&
           trace_.name(rank_, segment.top).find("LoadedExecutable::Execute") != std::string_view::npos;
  }

  // Who asks for a lock waits for the thread that has it: a thread that is joined has one from its start to its end,
  // whoever started it.
  [[nodiscard]] bool waits_for_lock(const Segment& segment) const {
    if (segment.top == kNoEvent || rank_.activity(segment.top) != trace::Activity::python) return false;
    const std::string_view name =
        trace_.name(rank_, segment.top);  // "$<unknown> acquire", "<method 'acquire' of '_thread.lock' objects>"
    return name.ends_with(" acquire") || name.find("'acquire' of '_thread.") != std::string_view::npos;
  }

  // Whether the thread was doing something at `time`, or at most kLongestPause before.
  [[nodiscard]] bool seen_working(const HostLane& lane, TimePs time) const {
    if (time < lane.begin()) return false;
    const std::uint32_t at = lane.last_boundary_until(time);
    if (at < lane.segment_count() && !does_nothing(lane.segment(at))) return true;
    return at > 0 && lane.boundary_time(at) >= time - kLongestPause && !does_nothing(lane.segment(at - 1));
  }

  // Whether something began or ended on the thread at most kLongestPause before `time`: Python's frames, too, give work
  // to XLA's threads.
  [[nodiscard]] static bool seen_at_all(const HostLane& lane, TimePs time) {
    return time >= lane.begin() && time - lane.boundary_time(lane.last_boundary_until(time)) <= kLongestPause;
  }

  [[nodiscard]] bool is_wait_for(std::uint32_t waiter, std::uint32_t segment, std::uint32_t worker) const {
    const auto key = std::tuple(waiter, segment, worker);
    const auto at =
        std::lower_bound(result_.waits.begin(), result_.waits.end(), key, [](const Handoff& wait, const auto& wanted) {
          return std::tuple(wait.waiter, wait.segment, wait.worker) < wanted;
        });
    return at != result_.waits.end() && std::tuple(at->waiter, at->segment, at->worker) == key;
  }

  void add_wakes() {
    const auto main = std::find_if(lanes_.begin(), lanes_.end(), [](const HostLane& lane) { return lane.is_main; });
    if (main == lanes_.end()) return;
    for (std::uint32_t worker = 0; worker < lanes_.size(); ++worker) {
      if (lanes_[worker].is_main) continue;
      for (std::size_t b = 0; b < bursts_[worker].size(); ++b) {
        const Burst& burst = bursts_[worker][b];
        if (is_explained_[worker][b] != 0 || burst.begin <= main->begin()) continue;
        const std::uint32_t at =
            main->last_boundary_until(burst.begin);  // where the segment starts that is running then
        if (main->boundary_time(at) >= burst.begin) continue;
        WakeUp wake{worker, burst.first, static_cast<std::uint32_t>(main - lanes_.begin()), at, false};
        if (main->boundary_time(at) < burst.begin - kLongestPause) look_elsewhere(burst.begin, wake);
        wake.waits = is_wait_for(wake.waker, wake.waker_at, worker);
        result_.wakes.push_back(wake);
      }
    }
  }

  // Takes the last end of something on any other thread before `time`, if that is later than what woke so far.
  void look_elsewhere(TimePs time, WakeUp& wake) {
    if (work_ends_.empty()) list_work_ends();
    const auto after = std::lower_bound(work_ends_.begin(), work_ends_.end(), time,
                                        [](const WorkEnd& end, TimePs t) { return end.time < t; });
    if (after == work_ends_.begin()) return;
    auto at = static_cast<std::size_t>(after - work_ends_.begin()) - 1;
    if (work_ends_[at].lane == wake.worker) {
      if (work_ends_[at].before_of_others == 0) return;
      at = work_ends_[at].before_of_others - 1;
    }
    const WorkEnd& end = work_ends_[at];
    if (end.time > lanes_[wake.waker].boundary_time(wake.waker_at)) wake.waker = end.lane, wake.waker_at = end.boundary;
  }

  // Of all lanes but the main ones, by time; of several at one time the lowest lane stands last and is found first.
  void list_work_ends() {
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      if (lanes_[lane].is_main) continue;
      for (std::uint32_t s = 0; s < lanes_[lane].segment_count(); ++s) {
        if (lanes_[lane].top(s) != kNoEvent) work_ends_.push_back({lanes_[lane].boundary_time(s + 1), lane, s + 1, 0});
      }
    }
    std::stable_sort(work_ends_.begin(), work_ends_.end(), [](const WorkEnd& a, const WorkEnd& b) {
      return a.time != b.time ? a.time < b.time : a.lane > b.lane;
    });
    for (std::size_t i = 1; i < work_ends_.size(); ++i)
      work_ends_[i].before_of_others =
          work_ends_[i - 1].lane != work_ends_[i].lane ? i : work_ends_[i - 1].before_of_others;
  }

  // By the first rule: it works on what it was given during this wait, or an earlier one.
  std::optional<Candidate> consider_given(std::uint32_t waiter, std::uint32_t s, std::uint32_t worker) const {
    const Segment wait = lanes_[waiter].segment(s);
    const std::vector<Burst>& bursts = bursts_[worker];
    const auto first = std::upper_bound(bursts.begin(), bursts.end(), wait.begin,
                                        [](TimePs time, const Burst& burst) { return time < burst.end; });
    auto last = first;
    while (last != bursts.end() && last->begin < wait.end) ++last;
    if (first == last) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(first - bursts.begin());
    const bool given_now = first->begin > wait.begin;
    if (!given_now && engaged_[worker] != number) return std::nullopt;
    // The last moment of the worker within the wait that is the end of something it did.
    const HostLane& lane = lanes_[worker];
    std::uint32_t back = lane.last_boundary_until(wait.end);
    while (back > first->first && lane.top(back - 1) == kNoEvent) --back;
    if (back <= first->first || lane.boundary_time(back) >= wait.end || lane.boundary_time(back) <= wait.begin)
      return std::nullopt;
    if (!does_nothing(wait)) {
      // An operator has work of its own: only what ends with it can be what it waits for, and of communication it is
      // told by other means.
      if (wait.end - lane.boundary_time(back) > kLongestPause || communication_.contains(lane.top(back - 1)))
        return std::nullopt;
    }
    if (lane.busy_between(lane.first_boundary_from(wait.begin), back) < (wait.end - wait.begin) / 2)
      return std::nullopt;
    Candidate candidate{
        {waiter, s, worker, std::nullopt, back, true}, number, static_cast<std::uint32_t>(last - bursts.begin()) - 1};
    // A collective begins because of the call that asked for it, which comes before the wait.
    if (given_now && !first->was_asked) candidate.handoff.given_at = first->first;
    return candidate;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const std::vector<HostLane>& lanes_;
  const HostCommunication& communication_;
  std::vector<std::uint32_t> lane_number_;  // trace lane -> host lane
  std::vector<std::vector<Burst>> bursts_;
  std::vector<std::vector<std::uint8_t>> is_explained_;  // per lane and burst: why it began is known
  std::vector<CommunicationEnd> ends_;
  std::vector<std::uint32_t> workers_;        // lanes that worked long enough to be waited for
  std::vector<std::uint32_t> engaged_;        // per worker: the burst it was given by the waiter under consideration
  std::vector<std::uint32_t> engaged_lanes_;  // those that were given one
  std::uint64_t comparisons_left_ = 0;
  std::vector<WorkEnd> work_ends_;
  std::vector<Handoff> found_;  // of the segment under consideration
  Handoffs result_;
};

}  // namespace

Handoffs find_handoffs(const trace::Trace& trace, const trace::RankTrace& rank, const std::vector<HostLane>& lanes,
                       const HostCommunication& communication, const std::vector<AskedCollective>& asked) {
  return HandoffSearch(trace, rank, lanes, communication, asked).run();
}

}  // namespace orrery::causal
