#include "link/handoffs.h"

#include <algorithm>

namespace orrery::link {
namespace {

constexpr TimePs kShortestWait = 20 * kPsPerUs;

// First segment of `lane` that begins at or after `time`.
std::uint32_t first_segment_from(const HostLane& lane, TimePs time) {
  const auto at = std::lower_bound(lane.segments.begin(), lane.segments.end(), time, [](const Segment& segment, TimePs t) { return segment.begin < t; });
  return static_cast<std::uint32_t>(at - lane.segments.begin());
}

}  // namespace

std::vector<Handoff> find_handoffs(const trace::RankTrace& rank, const std::vector<HostLane>& lanes) {
  std::vector<Handoff> handoffs;
  for (std::uint32_t a = 0; a < lanes.size() && lanes.size() > 1; ++a) {
    for (std::uint32_t s = 0; s < lanes[a].segments.size(); ++s) {
      const Segment& wait = lanes[a].segments[s];
      if (wait.end - wait.begin < kShortestWait) continue;
      if (wait.top != kNoEvent && rank.activity(wait.top) == trace::Activity::runtime_call) continue;
      Handoff best{a, s, kNoWork, 0, 0};
      TimePs most_busy = (wait.end - wait.begin) / 2;
      for (std::uint32_t b = 0; b < lanes.size(); ++b) {
        if (b == a) continue;
        const HostLane& worker = lanes[b];
        std::uint32_t first = first_segment_from(worker, wait.begin);
        std::uint32_t last = first_segment_from(worker, wait.end);  // one past the segments that begin within the wait
        // The worker must be idle at both ends: no recorded segment may reach over them.
        if (first > 0 && first <= worker.segments.size() && worker.segments[first - 1].top != kNoEvent && worker.segments[first - 1].end > wait.begin) continue;
        while (first < last && worker.segments[first].top == kNoEvent) ++first;
        while (first < last && worker.segments[last - 1].top == kNoEvent) --last;
        if (first >= last || worker.segments[last - 1].end > wait.end) continue;
        const TimePs busy = worker.busy_between(first, last);
        if (busy <= most_busy) continue;
        most_busy = busy;
        best = {a, s, b, first, last};
      }
      if (best.worker != kNoWork) handoffs.push_back(best);
    }
  }
  return handoffs;
}

}  // namespace orrery::link
