// What can be said about a few measured times without assuming how they are distributed: medians, their intervals, and the shift between two runs.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/units.h"

namespace orrery::analyze {

struct TimeInterval {
  TimePs low = 0, high = 0;
  friend bool operator==(const TimeInterval&, const TimeInterval&) = default;
};

/// The place of the lower median; of equals the first. `times` is not empty.
std::size_t lower_median_place(std::span<const TimePs> times);

/// The interval between two order statistics, equally far from both ends, that holds the median of the distribution with at least 95 %: the narrowest.
/// None below six times: their whole range does not.
std::optional<TimeInterval> median_interval(std::span<const TimePs> times);

/// Where the shift from `a` to `b` lies, with 95 %: all differences b - a sorted, the C-th from either end, with C by the normal approximation of the
/// rank-sum statistic (Hodges and Lehmann 1963). None where C is below 1. O((n + m) log range), without a table of differences.
std::optional<TimeInterval> shift_interval(std::span<const TimePs> a, std::span<const TimePs> b);

/// How two runs compare in one quantity.
struct Comparison {
  TimePs a = 0, b = 0;                 ///< lower medians
  std::optional<TimeInterval> change;  ///< shift_interval
  /// 0 lies outside the interval, and the medians differ by at least 0.1 % of a; none: too few to tell.
  std::optional<bool> significant;
};
/// Both sides have at least one time.
Comparison compare(std::span<const TimePs> a, std::span<const TimePs> b);

}  // namespace orrery::analyze
