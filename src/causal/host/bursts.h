// Stretches of work of a host thread, as others see them: begun, done, and a pause that is long enough to tell.
#pragma once

#include <vector>

#include "causal/host/host_lanes.h"

namespace orrery::causal {

/// Longer pauses of a thread mean that it had finished; shorter ones are its own time.
inline constexpr TimePs kLongestPause = 100 * kPsPerUs;

/// A stretch of work of one lane: boundaries [first, last], with pauses up to kLongestPause.
struct Burst {
  std::uint32_t first;
  std::uint32_t last;
  TimePs begin;
  TimePs end;
  bool was_asked;  ///< it begins with a collective whose call is known
};

/// `asked`: boundaries of the lane, ascending, at which such collectives begin. Each begins a burst of its own.
inline std::vector<Burst> find_bursts(const HostLane& lane, const std::vector<std::uint32_t>& asked) {
  std::vector<Burst> bursts;
  auto next_asked = asked.begin();
  for (std::uint32_t s = 0; s < lane.segment_count(); ++s) {
    const Segment segment = lane.segment(s);
    while (next_asked != asked.end() && *next_asked < s) ++next_asked;
    if (segment.top == kNoEvent) continue;
    const bool is_asked = next_asked != asked.end() && *next_asked == s;
    if (is_asked || bursts.empty() || segment.begin - bursts.back().end > kLongestPause)
      bursts.push_back({s, s + 1, segment.begin, segment.end, is_asked});
    else bursts.back().last = s + 1, bursts.back().end = segment.end;
  }
  return bursts;
}

}  // namespace orrery::causal
