// Order statistics: medians and quantiles, which a few outliers cannot move, and what robust fits make of them. Where
// the median of an even number of values lies between two of them, callers differ on purpose, and each rule has its
// name here:
//
// - lower_median and upper_median are one of the values themselves: a moment, a step or a call that was measured. A
// lower
//   median of a few errors is not raised by one bad one, an upper median of gaps or residuals not lowered by one that
//   is 0 by chance.
// - median is the mean of the two: for summaries of errors and slopes, where no side is to be preferred.
//
// Quantiles are either values themselves (quantile, tenth_percentile), or lie between neighbours (sorted_quantile), as
// numpy and pandas have them. All select in O(n), reorder what they are given, and are 0 of nothing; sorted_quantile
// expects order, and keeps it.
//
// Robust regressions have nothing else in common, since what they solve differs: the line through a few points here
// (Theil and Sen, pair_slopes); thousands of clock parameters, sparse and linear (align/clock_fit.h); coefficients that
// must not be negative (motif/fit/terms.h); the constants of a device, through a model with kinks
// (llm/backtest/robust_fit.h); and a machine of which each trial is a simulation, so that a pattern search does it
// (replay/mpi/calibrate.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <span>
#include <vector>

#include "base/units.h"

namespace orrery {

/// The standard deviation of a normal distribution over its median absolute deviation: 1 / Phi^-1(3/4).
inline constexpr double kDeviationOverMad = 1.4826;

/// The value that has `place` others before it, in ascending order; `place` is below their number.
template <typename Values>
auto nth_smallest(Values&& values, std::size_t place) {
  const auto at = std::ranges::begin(values) + static_cast<std::ptrdiff_t>(place);
  std::nth_element(std::ranges::begin(values), at, std::ranges::end(values));
  return *at;
}

template <typename Values>
std::ranges::range_value_t<Values> lower_median(Values&& values) {
  return std::ranges::empty(values) ? 0 : nth_smallest(values, (std::ranges::size(values) - 1) / 2);
}

template <typename Values>
std::ranges::range_value_t<Values> upper_median(Values&& values) {
  return std::ranges::empty(values) ? 0 : nth_smallest(values, std::ranges::size(values) / 2);
}

/// Of whole numbers rounded towards 0. Their sum must fit.
template <typename Values>
std::ranges::range_value_t<Values> median(Values&& values) {
  const std::size_t count = std::ranges::size(values);
  const auto upper = upper_median(values);
  if (count == 0 || count % 2 == 1) return upper;
  // nth_element has put all that are smaller before it.
  return (*std::max_element(std::ranges::begin(values),
                            std::ranges::begin(values) + static_cast<std::ptrdiff_t>(count / 2)) +
          upper) /
         2;
}

/// The value with a share of `q` (0 to 1) of the others below it, rounded down.
template <typename Values>
std::ranges::range_value_t<Values> quantile(Values&& values, double q) {
  if (std::ranges::empty(values)) return 0;
  return nth_smallest(values,
                      static_cast<std::size_t>(std::floor(q * static_cast<double>(std::ranges::size(values) - 1))));
}

/// What is usual where nothing interferes: of ten values the second least. Not the least, which a clock that was
/// corrected in between may have made.
template <typename Values>
std::ranges::range_value_t<Values> tenth_percentile(Values&& values) {
  return std::ranges::empty(values) ? 0 : nth_smallest(values, std::ranges::size(values) / 10);
}

/// At (n - 1) q between neighbours. Times are rounded to whole picoseconds.
TimePs sorted_quantile(std::span<const TimePs> sorted, double q);
/// The same of numbers as numpy does it, to the last bit: a + (b - a) t below the middle of neighbours a and b, b - (b
/// - a)(1 - t) from there on. NaN of nothing; a share outside [0, 1] has no place among the values, and the nearest end
/// stands for it.
double sorted_quantile(std::span<const double> sorted, double q);

/// The slopes between all pairs of points that differ in x: their median is the slope of a line that a few wrong points
/// cannot turn (Theil 1950, Sen 1968). Differences of x are taken in its own type.
template <typename Points, typename X, typename Y>
std::vector<double> pair_slopes(const Points& points, const X& x, const Y& y) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const auto run = x(points[j]) - x(points[i]);
      if (run != 0) slopes.push_back((y(points[j]) - y(points[i])) / static_cast<double>(run));
    }
  }
  return slopes;
}

/// How much a residual of `size` counts under Huber's loss, which is a square up to `limit` and linear beyond: its
/// influence is bounded.
inline double huber_weight(double size, double limit) { return size <= limit ? 1 : limit / size; }

}  // namespace orrery
