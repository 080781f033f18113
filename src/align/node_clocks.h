// From a fit to the maps that rewrite traces: exact, strictly increasing, with a band around them.
#pragma once

#include <algorithm>
#include <cmath>

#include "align/estimate.h"
#include "base/result.h"
#include "base/units.h"
#include "trace/clock.h"
#include "trace/trace.h"

namespace orrery::align {

// From nanoseconds in double, which estimates are made in, to the integers that maps are made of.

/// Cut off at the largest moment a trace can hold (26 days), so that sums of a few fit; 0 for what is not a number.
inline TimePs to_ps(double ns) {
  if (std::isnan(ns)) return 0;
  constexpr double kMostNs = static_cast<double>(trace::kMaxMomentPs) / 1e3;
  return std::clamp<TimePs>(std::llround(std::clamp(ns, -kMostNs, kMostNs) * 1e3), -trace::kMaxMomentPs,
                            trace::kMaxMomentPs);
}

/// What node `node`'s host clock shows -> what the reference clock shows, in TimePs since the job's epoch. The band of
/// a knot holds the truth 19 times out of 20: two and a half standard deviations, what repetition cannot average out,
/// what a clock can do between two knots, and around a step its size as long as it is not known when that was. At a
/// step forward two knots lie 1 ps apart in reference time. A clock set back shows some readings twice: those are taken
/// to be the later ones.
Result<trace::Clock> node_clock(const Estimate& estimate, std::size_t node);

}  // namespace orrery::align
