// Statistics as pandas has them.
#include "analyze/hta/statistics.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace orrery::analyze::hta;

TEST_CASE("hta statistics: sums are rounded once, in any order") {
  CHECK(exact_sum(std::vector<double>{1e100, 1, -1e100}) == 1);
  CHECK(exact_sum(std::vector<double>{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}) == 1.0);
  CHECK(exact_sum(std::vector<double>{}) == 0);
}

TEST_CASE("hta statistics: quartiles lie between neighbours, the deviation is that of a sample") {
  const Description d = describe({4, 1, 3, 2});
  CHECK(d.count == 4);
  CHECK(d.mean == 2.5);
  CHECK(d.std == doctest::Approx(std::sqrt(5.0 / 3)));
  CHECK(d.min == 1);
  CHECK(d.p25 == 1.75);
  CHECK(d.p50 == 2.5);
  CHECK(d.p75 == 3.25);
  CHECK(d.max == 4);
  CHECK(std::isnan(describe({7}).std));
  CHECK(describe({7}).p75 == 7);
  CHECK(describe({}).count == 0);
  CHECK(std::isnan(describe({}).max));
}

TEST_CASE("hta statistics: half is rounded to even, and what is no number stays none") {
  CHECK(rounded(0.125, 2) == 0.12);
  CHECK(rounded(0.375, 2) == 0.38);
  CHECK(rounded(-2.5, 0) == -2);
  CHECK(std::isnan(rounded(divide(1, 0), 2)));
}
