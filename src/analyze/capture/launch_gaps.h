// What graphs a rank launches, how long their nodes take, and what the device and the host did between launches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/capture/work_origins.h"
#include "analyze/device/breakdown.h"
#include "analyze/distribution.h"

namespace orrery::analyze {

/// One launch, and the time since the one before it on its device.
struct LaunchGap {
  std::uint32_t launch = 0;                ///< place in GraphLaunches::launches
  std::int64_t number = 0;                 ///< on its device, from 0
  std::int64_t step = -1;                  ///< as the rank's steps are counted; -1: outside of them
  TimePs span = 0;                         ///< from the start of its first work to the end of the last
  TimePs busy = 0;                         ///< of it, with some work of it running
  std::optional<TimePs> gap = {};          ///< none: it is the first; below 0: it began before the one before had ended
  TimePs other_works = 0;                  ///< of the gap, with other work running on the device
  TimePs idle = 0;                         ///< the rest of the gap
  TimePs host_wait = 0;                    ///< of that, until the calls were entered that launch what ends it
  std::vector<HostWaitCause> causes = {};  ///< what the host did then, the longest first
};

/// In the order of GraphLaunches::launches. `graphs`: of the rank.
std::vector<LaunchGap> launch_gaps(const DeviceRank& devices, const GraphLaunches& graphs);

}  // namespace orrery::analyze
