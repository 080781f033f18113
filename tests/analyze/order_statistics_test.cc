#include "analyze/diff/run_diff.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace orrery;
using namespace orrery::analyze;

namespace {

std::vector<TimePs> random_times(std::mt19937& random, std::size_t count, std::uint32_t range) {
  std::vector<TimePs> times(count);
  for (TimePs& time : times) time = static_cast<TimePs>(random() % range);
  return times;
}

/// All ways in which n throws of a coin can fall: the chance that fewer than k show heads.
double chance_of_fewer(std::size_t n, std::size_t k) {
  std::size_t fewer = 0;
  for (std::size_t way = 0; way < (std::size_t{1} << n); ++way)
    fewer += static_cast<std::size_t>(__builtin_popcountll(way)) < k ? 1 : 0;
  return static_cast<double>(fewer) / static_cast<double>(std::size_t{1} << n);
}

}  // namespace

TEST_CASE("the lower median, and the first of equals") {
  CHECK(lower_median_place(std::vector<TimePs>{5}) == 0);
  CHECK(lower_median_place(std::vector<TimePs>{5, 3}) == 1);
  CHECK(lower_median_place(std::vector<TimePs>{9, 4, 7, 4, 4}) == 1);
  CHECK(lower_median_place(std::vector<TimePs>{1, 2, 3, 4}) == 1);
}

TEST_CASE("the median's interval is the narrowest that leaves out at most 2.5 % on either side") {
  for (std::size_t n = 1; n <= 18; ++n) {
    std::vector<TimePs> times(n);
    for (std::size_t i = 0; i < n; ++i) times[i] = static_cast<TimePs>(n - i);  // n, ..., 1: order statistic k is k
    const auto interval = median_interval(times);
    CAPTURE(n);
    if (n < 6) {
      CHECK(chance_of_fewer(n, 1) > 0.025);
      CHECK(!interval);
      continue;
    }
    REQUIRE(interval);
    const auto k = static_cast<std::size_t>(interval->low);
    CHECK(interval->high == static_cast<TimePs>(n + 1 - k));
    CHECK(chance_of_fewer(n, k) <= 0.025);
    CHECK(chance_of_fewer(n, k + 1) > 0.025);
  }
}

TEST_CASE("the median's interval of very many") {
  std::vector<TimePs> times(20'000);
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = static_cast<TimePs>(i);
  const auto interval = median_interval(times);
  REQUIRE(interval);
  // 1.96 standard deviations of the binomial, which has sqrt(n) / 2.
  CHECK(std::abs(static_cast<double>(10'000 - interval->low) - 0.98 * std::sqrt(20'000.0)) < 2);
}

TEST_CASE("the shift's interval is that of all differences, sorted") {
  CHECK(rc::check([] {
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    const auto range = *rc::gen::element<std::uint32_t>(3, 1000, 4'000'000'000);
    const auto a = random_times(random, *rc::gen::inRange<std::size_t>(1, 30), range);
    const auto b = random_times(random, *rc::gen::inRange<std::size_t>(1, 30), range);
    std::vector<TimePs> differences;
    for (const TimePs x : a) {
      for (const TimePs y : b) differences.push_back(y - x);
    }
    std::sort(differences.begin(), differences.end());
    const double nm = static_cast<double>(differences.size());
    const double c = std::floor(nm / 2 - 1.96 * std::sqrt(nm * static_cast<double>(a.size() + b.size() + 1) / 12));
    const auto interval = shift_interval(a, b);
    RC_ASSERT(interval.has_value() == (c >= 1));
    if (!interval) return;
    const auto k = static_cast<std::size_t>(c);
    RC_ASSERT(interval->low == differences[k - 1]);
    RC_ASSERT(interval->high == differences[differences.size() - k]);
  }));
}

TEST_CASE("a change is significant if it is sure and large enough") {
  const std::vector<TimePs> a{100'000, 100'010, 100'020, 100'030, 100'040, 100'050};
  const auto shifted = [&](TimePs by) {
    std::vector<TimePs> b = a;
    for (TimePs& time : b) time += by;
    return b;
  };
  CHECK(compare(a, shifted(5'000)).significant == true);
  CHECK(compare(a, shifted(-5'000)).significant == true);
  CHECK(compare(a, shifted(0)).significant == false);
  CHECK(compare(a, shifted(20)).significant == false);  // 0 is in the interval
  CHECK(compare(a, shifted(90)).significant == false);  // sure, and less than a thousandth
  CHECK(compare(std::vector<TimePs>{1, 2}, std::vector<TimePs>{100}).significant == std::nullopt);
}
