// When the host of a simulated rank would have asked for each piece of device work.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/schedule.h"
#include "simulate/trace_rank/effective_sources.h"
#include "simulate/trace_rank/rank_lanes.h"

namespace orrery::simulate {

/// Calls are this far apart: a launch, and in between what is recorded after it and waited for before the next.
inline constexpr TimePs kCallDistancePs = 2;

struct Launches {
  std::vector<TimePs> time;         ///< per activity of the device; otherwise 0
  std::vector<std::uint32_t> lane;  ///< the host lane it is made on
  TimePs begin = 0;                 ///< before the first call: at most 0
};

/// Work is launched in the order in which it starts, as early as the host computes that it, or work launched before it, comes after allow.
/// Launches are never after the start of their work. Where a host compute is too short for all the launches at its end, some share a moment.
Launches place_launches(const Schedule& schedule, std::uint64_t first, const RankLanes& lanes, const EffectiveSources& sources);

}  // namespace orrery::simulate
