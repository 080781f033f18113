// From nanoseconds in double, which estimates are made in, to the integers that maps are made of.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "trace/trace.h"

namespace orrery::align {

/// Cut off at the largest moment a trace can hold (26 days), so that sums of a few fit; 0 for what is not a number.
inline TimePs to_ps(double ns) {
  if (std::isnan(ns)) return 0;
  constexpr double kMostNs = static_cast<double>(trace::kMaxMomentPs) / 1e3;
  return std::clamp<TimePs>(std::llround(std::clamp(ns, -kMostNs, kMostNs) * 1e3), -trace::kMaxMomentPs,
                            trace::kMaxMomentPs);
}

}  // namespace orrery::align
