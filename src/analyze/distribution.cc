#include "analyze/distribution.h"

#include <algorithm>
#include <cmath>

#include "base/int128.h"
#include "base/statistics.h"

namespace orrery::analyze {

Moments moments_of(std::span<const TimePs> values) {
  if (values.empty()) return {};
  Int128 sum = 0;
  TimePs least = values.front(), most = values.front();
  for (const TimePs value : values) {
    sum += value;
    least = std::min(least, value), most = std::max(most, value);
  }
  const double mean = static_cast<double>(sum) / static_cast<double>(values.size());
  double squares = 0;
  for (const TimePs value : values)
    squares += (static_cast<double>(value) - mean) * (static_cast<double>(value) - mean);
  const double deviation = values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
  constexpr Int128 kMost = INT64_MAX;
  return {.count = values.size(),
          .sum = static_cast<TimePs>(std::clamp(sum, -kMost, kMost)),
          .mean = static_cast<TimePs>(std::llround(mean)),
          .deviation = static_cast<TimePs>(std::llround(std::min(deviation, 9e18))),
          .least = least,
          .most = most};
}

Distribution distribution_of(std::vector<TimePs>& values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {moments_of(values), sorted_quantile(values, 0.25), sorted_quantile(values, 0.5),
          sorted_quantile(values, 0.75)};
}

}  // namespace orrery::analyze
