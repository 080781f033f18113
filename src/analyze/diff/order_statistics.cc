#include "analyze/diff/order_statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>

#include "base/int128.h"
#include "base/statistics.h"

namespace orrery::analyze {
namespace {

std::vector<TimePs> sorted_copy(std::span<const TimePs> times) {
  std::vector<TimePs> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

/// How many of the differences b - a are at most `bound`. Both ascend.
std::uint64_t count_up_to(std::span<const TimePs> a, std::span<const TimePs> b, Int128 bound) {
  std::uint64_t count = 0;
  std::size_t below = 0;  // of b: the larger a is, the more of b count
  for (const TimePs subtracted : a) {
    while (below < b.size() && static_cast<Int128>(b[below]) - subtracted <= bound) ++below;
    count += below;
  }
  return count;
}

/// The k-th smallest difference b - a, counting from 1, by bisection of its value.
TimePs kth_difference(std::span<const TimePs> a, std::span<const TimePs> b, std::uint64_t k) {
  Int128 low = static_cast<Int128>(b.front()) - a.back(), high = static_cast<Int128>(b.back()) - a.front();
  while (low < high) {
    const Int128 middle = low + (high - low) / 2;
    if (count_up_to(a, b, middle) >= k) high = middle;
    else low = middle + 1;
  }
  return static_cast<TimePs>(low);
}

}  // namespace

std::size_t lower_median_place(std::span<const TimePs> times) {
  const TimePs middle = lower_median(std::vector(times.begin(), times.end()));
  return static_cast<std::size_t>(std::find(times.begin(), times.end(), middle) - times.begin());
}

std::optional<TimeInterval> median_interval(std::span<const TimePs> times) {
  const std::size_t n = times.size();
  if (n < 6) return std::nullopt;
  // The k smallest leave out the median with the chance that fewer than k of n fall below it. Binomial coefficients relative to the middle one: those
  // that are too small for a double are far below what decides.
  std::vector<double> weight(n / 2 + 1, 1.0);
  for (std::size_t k = n / 2; k > 0; --k) weight[k - 1] = weight[k] * static_cast<double>(k) / static_cast<double>(n - k + 1);
  const double half = std::accumulate(weight.begin(), weight.end(), 0.0);
  const double total = n % 2 == 0 ? 2 * half - weight.back() : 2 * half;
  std::size_t k = 0;
  double left_out = 0;
  while (left_out + weight[k] <= 0.025 * total) left_out += weight[k++];
  const std::vector<TimePs> sorted = sorted_copy(times);
  return TimeInterval{sorted[k - 1], sorted[n - k]};
}

std::optional<TimeInterval> shift_interval(std::span<const TimePs> a, std::span<const TimePs> b) {
  const double n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  const double rank = std::floor(n * m / 2 - 1.96 * std::sqrt(n * m * (n + m + 1) / 12));
  if (rank < 1) return std::nullopt;
  const std::vector<TimePs> from = sorted_copy(a), to = sorted_copy(b);
  const std::uint64_t k = static_cast<std::uint64_t>(rank), all = std::uint64_t{a.size()} * b.size();
  return TimeInterval{kth_difference(from, to, k), kth_difference(from, to, all - k + 1)};
}

Comparison compare(std::span<const TimePs> a, std::span<const TimePs> b) {
  Comparison result{a[lower_median_place(a)], b[lower_median_place(b)], shift_interval(a, b), std::nullopt};
  if (!result.change) return result;
  const bool outside = result.change->low > 0 || result.change->high < 0;
  // A thousandth: what nobody would act upon, however surely it was measured.
  const bool matters = static_cast<Int128>(std::llabs(result.b - result.a)) * 1000 >= result.a;
  result.significant = outside && matters && result.a != result.b;
  return result;
}

}  // namespace orrery::analyze
