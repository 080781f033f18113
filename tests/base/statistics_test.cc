#include "base/statistics.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

using namespace orrery;

namespace {

std::vector<double> as_numbers(const std::vector<std::int32_t>& values) { return {values.begin(), values.end()}; }

std::size_t count_below(const std::vector<double>& values, double bound) {
  return static_cast<std::size_t>(
      std::count_if(values.begin(), values.end(), [&](double value) { return value < bound; }));
}

}  // namespace

TEST_CASE("the median of an even number is one of two values, or their mean") {
  const std::vector<double> four = {9, 1, 3, 5};
  CHECK(lower_median(std::vector(four)) == 3);
  CHECK(upper_median(std::vector(four)) == 5);
  CHECK(median(std::vector(four)) == 4);
  CHECK(median(std::vector<TimePs>{2, 5}) == 3);
  CHECK(median(std::vector<double>{7}) == 7);
}

TEST_CASE("nothing has a median of 0") {
  std::vector<TimePs> none;
  CHECK(lower_median(none) == 0);
  CHECK(upper_median(none) == 0);
  CHECK(median(none) == 0);
  CHECK(quantile(none, 0.5) == 0);
  CHECK(tenth_percentile(none) == 0);
  CHECK(sorted_quantile(std::span<const TimePs>(none), 0.5) == 0);
  CHECK(std::isnan(sorted_quantile(std::span<const double>(), 0.5)));
}

TEST_CASE("half of the values lie on either side of a median") {
  rc::check([](const std::vector<std::int32_t>& given) {
    RC_PRE(!given.empty());
    const std::vector<double> values = as_numbers(given);
    const double low = lower_median(std::vector(values)), high = upper_median(std::vector(values)),
                 middle = median(std::vector(values));
    RC_ASSERT(count_below(values, low) <= (values.size() - 1) / 2);
    RC_ASSERT(count_below(values, high) <= values.size() / 2);
    RC_ASSERT(low <= middle && middle <= high);
    RC_ASSERT(low == quantile(std::vector(values), 0.5));
    if (values.size() % 2 == 1) RC_ASSERT(low == high);
  });
}

TEST_CASE("a median moves and grows with its values") {
  rc::check([](const std::vector<std::int32_t>& given, std::int32_t by) {
    const std::vector<double> values = as_numbers(given);
    std::vector<double> moved, turned;
    for (const double value : values) {
      moved.push_back(value + by);
      turned.push_back(-value);
    }
    if (values.empty()) return;
    RC_ASSERT(median(moved) == median(std::vector(values)) + by);
    // Seen from the other side, lower is upper.
    RC_ASSERT(lower_median(turned) == -upper_median(std::vector(values)));
  });
}

TEST_CASE("quantiles rise from the least to the largest") {
  rc::check([](const std::vector<std::int32_t>& given) {
    RC_PRE(!given.empty());
    std::vector<double> sorted = as_numbers(given);
    std::sort(sorted.begin(), sorted.end());
    std::vector<TimePs> times(sorted.begin(), sorted.end());
    double before = sorted.front();
    for (const double q : {0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0}) {
      const double here = sorted_quantile(sorted, q);
      RC_ASSERT(before <= here);
      RC_ASSERT(quantile(std::vector(sorted), q) <= here);
      RC_ASSERT(std::abs(static_cast<double>(sorted_quantile(times, q)) - here) <= 0.5);
      before = here;
    }
    RC_ASSERT(before == sorted.back());
  });
}

TEST_CASE("the tenth percentile of ten values is the second least") {
  CHECK(tenth_percentile(std::vector<TimePs>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}) == 2);
  CHECK(tenth_percentile(std::vector<TimePs>{3, 1, 2}) == 1);
}

TEST_CASE("a sixth of the points cannot turn the line of Theil and Sen") {
  using Point = std::pair<TimePs, double>;
  const auto x = std::mem_fn(&Point::first);
  const auto y = std::mem_fn(&Point::second);
  rc::check([&](std::int16_t slope, std::int16_t height, std::int32_t wrong) {
    std::vector<Point> points;
    for (TimePs i = 0; i < 12; ++i)
      points.emplace_back(i, static_cast<double>(slope) * static_cast<double>(i) + height);
    for (const std::size_t i : {2u, 7u}) points[i].second += wrong;
    RC_ASSERT(median(pair_slopes(points, x, y)) == slope);
  });
  // Points above one another have no slope between them.
  CHECK(pair_slopes(std::vector<Point>{{1, 2}, {1, 5}}, x, y).empty());
}

TEST_CASE("Huber's influence is the residual, up to a limit") {
  CHECK(huber_weight(0.5, 2) == 1);
  CHECK(huber_weight(2, 2) == 1);
  CHECK(8 * huber_weight(8, 2) == 2);
}
