#include "link/handoffs.h"

#include <algorithm>

namespace orrery::link {
namespace {

constexpr TimePs kShortestWait = 20 * kPsPerUs;
constexpr TimePs kLongestPause = 100 * kPsPerUs;
// Waits are compared with every thread that worked long enough, which grows with the square of the threads. A trace of 200 threads that are all
// busy needs less than this.
constexpr std::uint64_t kComparisonsPerSegment = 256;

/// A stretch of work of one lane: boundaries [first, last], with pauses up to kLongestPause.
struct Burst {
  std::uint32_t first;
  std::uint32_t last;
  TimePs begin;
  TimePs end;
};

std::vector<Burst> find_bursts(const HostLane& lane) {
  std::vector<Burst> bursts;
  for (std::uint32_t s = 0; s < lane.segments.size(); ++s) {
    const Segment& segment = lane.segments[s];
    if (segment.top == kNoEvent) continue;
    if (bursts.empty() || segment.begin - bursts.back().end > kLongestPause) bursts.push_back({s, s + 1, segment.begin, segment.end});
    else bursts.back().last = s + 1, bursts.back().end = segment.end;
  }
  return bursts;
}

class HandoffSearch {
 public:
  HandoffSearch(const trace::Trace& trace, const trace::RankTrace& rank, const std::vector<HostLane>& lanes)
      : trace_(trace), rank_(rank), lanes_(lanes), engaged_(lanes.size(), kNoWork) {
    for (const HostLane& lane : lanes) {
      bursts_.push_back(find_bursts(lane));
      is_explained_.emplace_back(bursts_.back().size(), 0);
      result_.own_pause.emplace_back(lane.segments.size(), 0);
      comparisons_left_ += kComparisonsPerSegment * lane.segments.size();
      busy_.push_back(lane.busy_between(0, static_cast<std::uint32_t>(lane.segments.size())));
    }
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
      // Who never worked for half of the shortest wait is nobody's worker: with many threads, almost all.
      if (busy_[lane] >= kShortestWait / 2) workers_.push_back(lane);
    }
    std::stable_sort(workers_.begin(), workers_.end(), [&](std::uint32_t a, std::uint32_t b) { return busy_[a] > busy_[b]; });
  }

  Handoffs run() {
    for (std::uint32_t waiter = 0; waiter < lanes_.size() && lanes_.size() > 1; ++waiter) {
      for (std::uint32_t s = 0; s < lanes_[waiter].segments.size(); ++s) look_at(waiter, s);
      for (const std::uint32_t worker : engaged_lanes_) engaged_[worker] = kNoWork;
      engaged_lanes_.clear();
    }
    add_wakes();
    return std::move(result_);
  }

 private:
  /// The end of a segment in which a lane did something.
  struct WorkEnd {
    TimePs time;
    std::uint32_t lane;
    std::uint32_t boundary;
    std::size_t before_of_others;  ///< one more than the place of the last entry before this one that is of another lane; 0: none
  };
  struct Candidate {
    Handoff handoff;
    TimePs busy = 0;
    std::uint32_t first_burst = 0;
    std::uint32_t last_burst = 0;
  };

  void look_at(std::uint32_t waiter, std::uint32_t s) {
    const Segment& wait = lanes_[waiter].segments[s];
    if (wait.end - wait.begin < kShortestWait) return;
    if (wait.top != kNoEvent && rank_.activity(wait.top) == trace::Activity::runtime_call) return;
    if (wait.top != kNoEvent && is_host_collective(trace_.name(rank_, wait.top))) return;
    std::optional<Candidate> best;
    for (const std::uint32_t worker : workers_) {
      // The busiest come first: nobody behind can have worked for half of the wait, or for longer than the best.
      if (busy_[worker] < (wait.end - wait.begin) / 2 || (best && busy_[worker] < best->busy)) break;
      if (worker == waiter) continue;
      if (comparisons_left_ == 0) {
        ++result_.waits_not_compared;
        return;
      }
      --comparisons_left_;
      const auto candidate = consider(waiter, s, worker);
      if (!candidate || candidate->busy < (wait.end - wait.begin) / 2) continue;
      const bool is_better = !best || candidate->busy > best->busy || (candidate->busy == best->busy && worker < best->handoff.worker);
      if (is_better) best = candidate;
    }
    if (!best) return;
    const std::uint32_t worker = best->handoff.worker;
    engaged_[worker] = best->last_burst;
    engaged_lanes_.push_back(worker);
    for (std::uint32_t b = best->first_burst; b <= best->last_burst; ++b) {
      const Burst& burst = bursts_[worker][b];
      is_explained_[worker][b] = 1;
      for (std::uint32_t i = burst.first; i < burst.last; ++i) result_.own_pause[worker][i] = lanes_[worker].segments[i].top == kNoEvent;
    }
    result_.waits.push_back(best->handoff);
  }

  void add_wakes() {
    const auto main = std::find_if(lanes_.begin(), lanes_.end(), [](const HostLane& lane) { return lane.is_main; });
    if (main == lanes_.end()) return;
    for (std::uint32_t worker = 0; worker < lanes_.size(); ++worker) {
      if (lanes_[worker].is_main) continue;
      for (std::size_t b = 0; b < bursts_[worker].size(); ++b) {
        const Burst& burst = bursts_[worker][b];
        if (is_explained_[worker][b] != 0 || burst.begin <= main->begin()) continue;
        const auto after = std::upper_bound(main->segments.begin(), main->segments.end(), burst.begin,
                                            [](TimePs time, const Segment& segment) { return time < segment.end; });
        auto at = static_cast<std::uint32_t>(after - main->segments.begin());  // boundary at the start of the segment that is running then
        if (at == main->segments.size() && main->end() > burst.begin) --at;
        if (main->boundary_time(at) >= burst.begin) continue;
        WakeUp wake{worker, burst.first, static_cast<std::uint32_t>(main - lanes_.begin()), at};
        if (main->boundary_time(at) < burst.begin - kLongestPause) look_elsewhere(burst.begin, wake);
        result_.wakes.push_back(wake);
      }
    }
  }

  // Takes the last end of something on any other thread before `time`, if that is later than what woke so far.
  void look_elsewhere(TimePs time, WakeUp& wake) {
    if (ends_.empty()) list_ends();
    const auto after =
        std::lower_bound(ends_.begin(), ends_.end(), time, [](const WorkEnd& end, TimePs t) { return end.time < t; }) - ends_.begin();
    if (after == 0) return;
    auto at = static_cast<std::size_t>(after) - 1;
    if (ends_[at].lane == wake.worker) {
      if (ends_[at].before_of_others == 0) return;
      at = ends_[at].before_of_others - 1;
    }
    const WorkEnd& end = ends_[at];
    if (end.time > lanes_[wake.waker].boundary_time(wake.waker_at)) wake.waker = end.lane, wake.waker_at = end.boundary;
  }

  // Of all lanes but the main ones, by time; of several at one time the lowest lane stands last and is found first.
  void list_ends() {
    for (std::uint32_t lane = 0; lane < lanes_.size(); ++lane) {
      if (lanes_[lane].is_main) continue;
      const std::vector<Segment>& segments = lanes_[lane].segments;
      for (std::uint32_t s = 0; s < segments.size(); ++s) {
        if (segments[s].top != kNoEvent) ends_.push_back({segments[s].end, lane, s + 1, 0});
      }
    }
    std::stable_sort(ends_.begin(), ends_.end(),
                     [](const WorkEnd& a, const WorkEnd& b) { return a.time != b.time ? a.time < b.time : a.lane > b.lane; });
    for (std::size_t i = 1; i < ends_.size(); ++i)
      ends_[i].before_of_others = ends_[i - 1].lane != ends_[i].lane ? i : ends_[i - 1].before_of_others;
  }

  std::optional<Candidate> consider(std::uint32_t waiter, std::uint32_t s, std::uint32_t worker) const {
    const Segment& wait = lanes_[waiter].segments[s];
    const std::vector<Burst>& bursts = bursts_[worker];
    const auto first =
        std::upper_bound(bursts.begin(), bursts.end(), wait.begin, [](TimePs time, const Burst& burst) { return time < burst.end; });
    auto last = first;
    while (last != bursts.end() && last->begin < wait.end) ++last;
    if (first == last) return std::nullopt;
    const auto number = static_cast<std::uint32_t>(first - bursts.begin());
    const bool given_now = first->begin > wait.begin;
    if (!given_now && engaged_[worker] != number) return std::nullopt;
    // The last moment of the worker within the wait that is the end of something it did.
    const HostLane& lane = lanes_[worker];
    const auto after = std::upper_bound(lane.segments.begin(), lane.segments.end(), wait.end,
                                        [](TimePs time, const Segment& segment) { return time < segment.end; });
    auto back = static_cast<std::uint32_t>(after - lane.segments.begin());
    while (back > first->first && lane.segments[back - 1].top == kNoEvent) --back;
    if (back <= first->first || lane.boundary_time(back) >= wait.end || lane.boundary_time(back) <= wait.begin) return std::nullopt;
    const auto from = std::lower_bound(lane.segments.begin(), lane.segments.end(), wait.begin,
                                       [](const Segment& segment, TimePs time) { return segment.begin < time; });
    Candidate candidate{{waiter, s, worker, std::nullopt, back},
                        lane.busy_between(static_cast<std::uint32_t>(from - lane.segments.begin()), back),
                        number,
                        static_cast<std::uint32_t>(last - bursts.begin()) - 1};
    if (given_now) candidate.handoff.given_at = first->first;
    return candidate;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const std::vector<HostLane>& lanes_;
  std::vector<std::vector<Burst>> bursts_;
  std::vector<std::vector<std::uint8_t>> is_explained_;  // per lane and burst: part of a wait
  std::vector<TimePs> busy_;                             // per lane: how long it worked in all
  std::vector<std::uint32_t> workers_;                   // lanes that somebody may wait for, the busiest first
  std::vector<std::uint32_t> engaged_;                   // per worker: the burst it was given by the waiter under consideration
  std::vector<std::uint32_t> engaged_lanes_;             // those that were given one
  std::uint64_t comparisons_left_ = 0;
  std::vector<WorkEnd> ends_;  // empty until asked for
  Handoffs result_;
};

}  // namespace

Handoffs find_handoffs(const trace::Trace& trace, const trace::RankTrace& rank, const std::vector<HostLane>& lanes) {
  return HandoffSearch(trace, rank, lanes).run();
}

}  // namespace orrery::link
