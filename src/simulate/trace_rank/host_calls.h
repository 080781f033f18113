// When the host of a simulated rank would have asked for each piece of device work.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simulate/schedule.h"
#include "simulate/trace_rank/rank_lanes.h"

namespace orrery::simulate {

/// Calls are this far apart: a launch, and in between what is recorded after it and waited for before the next.
inline constexpr TimePs kCallDistancePs = 2;

struct Launches {
  std::vector<TimePs> time;         ///< per activity of the device; otherwise 0
  std::vector<std::uint32_t> lane;  ///< the host lane it is made on
  TimePs begin = 0;                 ///< before the first call: at most 0
  /// Per activity: of device work, the call of the host that launches it; of such a call, itself. kNone: the program
  /// has none, and the launch is made up.
  std::vector<std::uint32_t> call;
};

/// Whether a host compute of that name is a call that a profiler recorded: "cudaLaunchKernel", "cuLaunchKernelEx",
/// "hipMemcpyAsync".
bool is_launch_call(std::string_view name);

/// Work that comes after a launch call (`is_call`, per activity), and alone does, is launched by that. Other work is
/// launched in the order in which it starts, as early as the host computes that it, or work launched before it, comes
/// after allow. Launches are never after the start of their work. Where a host compute is too short for all the
/// launches at its end, some share a moment.
Launches place_launches(const Schedule& schedule, std::uint64_t first, const RankLanes& lanes,
                        const EffectiveSources& sources, const std::vector<std::uint8_t>& is_call);

}  // namespace orrery::simulate
