#include "link/handoffs.h"

#include <algorithm>

namespace orrery::link {
namespace {

constexpr TimePs kShortestWait = 20 * kPsPerUs;
constexpr TimePs kLongestPause = 100 * kPsPerUs;

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
      : trace_(trace), rank_(rank), lanes_(lanes) {
    for (const HostLane& lane : lanes) {
      bursts_.push_back(find_bursts(lane));
      is_explained_.emplace_back(bursts_.back().size(), 0);
      result_.own_pause.emplace_back(lane.segments.size(), 0);
    }
  }

  Handoffs run() {
    for (std::uint32_t waiter = 0; waiter < lanes_.size() && lanes_.size() > 1; ++waiter) {
      engaged_.assign(lanes_.size(), kNoWork);
      for (std::uint32_t s = 0; s < lanes_[waiter].segments.size(); ++s) look_at(waiter, s);
    }
    add_wakes();
    return std::move(result_);
  }

 private:
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
    for (std::uint32_t worker = 0; worker < lanes_.size(); ++worker) {
      if (worker == waiter) continue;
      const auto candidate = consider(waiter, s, worker);
      if (candidate && candidate->busy >= (wait.end - wait.begin) / 2 && (!best || candidate->busy > best->busy)) best = candidate;
    }
    if (!best) return;
    const std::uint32_t worker = best->handoff.worker;
    engaged_[worker] = best->last_burst;
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
  void look_elsewhere(TimePs time, WakeUp& wake) const {
    for (std::uint32_t other = 0; other < lanes_.size(); ++other) {
      if (other == wake.worker || lanes_[other].is_main) continue;
      const std::vector<Segment>& segments = lanes_[other].segments;
      auto at = static_cast<std::uint32_t>(
          std::lower_bound(segments.begin(), segments.end(), time, [](const Segment& segment, TimePs t) { return segment.end < t; }) -
          segments.begin());
      while (at > 0 && segments[at - 1].top == kNoEvent) --at;
      if (at > 0 && segments[at - 1].end > lanes_[wake.waker].boundary_time(wake.waker_at)) wake.waker = other, wake.waker_at = at;
    }
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
  std::vector<std::uint32_t> engaged_;                   // per worker: the burst it was given by the waiter under consideration
  Handoffs result_;
};

}  // namespace

Handoffs find_handoffs(const trace::Trace& trace, const trace::RankTrace& rank, const std::vector<HostLane>& lanes) {
  return HandoffSearch(trace, rank, lanes).run();
}

}  // namespace orrery::link
