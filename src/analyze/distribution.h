// How a set of durations is spread, to the picosecond.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/units.h"

namespace orrery::analyze {

/// a + b, and the largest time where that does not fit: sums over many huge durations of a damaged trace stay sums.
inline TimePs plus_capped(TimePs a, TimePs b) {
  TimePs sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? INT64_MAX : -INT64_MAX) : sum;
}

/// Of calls, not of sums. Mean and deviation (n - 1; 0 of one) are rounded to whole picoseconds.
struct Moments {
  std::size_t count = 0;  ///< 0: the others mean nothing
  TimePs sum = 0;
  TimePs mean = 0;
  TimePs deviation = 0;
  TimePs least = 0;
  TimePs most = 0;
};

/// Quantiles (between neighbours, at (n - 1) q) are rounded, too.
struct Distribution : Moments {
  TimePs quarter = 0;
  TimePs median = 0;
  TimePs three_quarters = 0;
};

/// In the last bit of the deviation by the order of the values: give them in one that is theirs.
Moments moments_of(std::span<const TimePs> values);

/// Sorts the values, so that the result does not depend on their order.
Distribution distribution_of(std::vector<TimePs>& values);

}  // namespace orrery::analyze
