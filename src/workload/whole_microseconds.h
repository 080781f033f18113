// Durations as execution traces have them: whole microseconds.
#pragma once

#include <algorithm>

#include "base/units.h"

namespace orrery::workload {

/// Rounded, but never to 0: simulators take 0 for "not measured" and compute a time of their own. 0 stays 0.
inline TimePs in_whole_microseconds(TimePs duration) {
  return duration <= 0 ? 0 : std::max<TimePs>(1, (duration + kPsPerUs / 2) / kPsPerUs) * kPsPerUs;
}

}  // namespace orrery::workload
