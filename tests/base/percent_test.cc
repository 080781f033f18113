#include "base/percent.h"

#include <doctest/doctest.h>

#include "base/units.h"

using namespace orrery;

TEST_CASE("what is said of an empty whole is part of the question") {
  CHECK(share_percent(1, 4) == 25);
  CHECK(share_percent(TimePs{0}, TimePs{0}) == 0);
  CHECK(share_percent(3.0, 0.0) == 0);
  CHECK(coverage_percent(TimePs{0}, TimePs{0}) == 100);
  CHECK(coverage_percent(1, 4) == 25);
  CHECK(change_percent(TimePs{200}, TimePs{100}) == -50);
  CHECK(change_percent(TimePs{0}, TimePs{5}) == 0);
}
