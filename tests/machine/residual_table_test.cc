#include "machine/warm/residual_table.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace orrery::machine;

namespace {

/// 2 x 3 knots; the value of a knot is ten times its first place plus its second.
ResidualTable two_by_three() {
  ResidualTable table({{"m", {1, 16}, 0}, {"n", {1, 4, 64}, 1}});
  for (std::size_t i = 0; i < 6; ++i) table.values()[i] = static_cast<std::int16_t>(10 * (i / 3) + i % 3);
  return table;
}

double residual_at(const ResidualTable& table, double m, double n) {
  const double place[] = {std::log(m), std::log(n)};
  return table.at(place) / kTableStep;
}

}  // namespace

TEST_CASE("a residual is what its knot says, and between knots linear in logarithms") {
  const ResidualTable table = two_by_three();
  CHECK(residual_at(table, 1, 1) == doctest::Approx(0));
  CHECK(residual_at(table, 16, 64) == doctest::Approx(12));
  CHECK(residual_at(table, 4, 1) == doctest::Approx(5));
  CHECK(residual_at(table, 4, 16) == doctest::Approx(5 + 1.5));
}

TEST_CASE("beyond the knots a residual stays as it is at the last") {
  const ResidualTable table = two_by_three();
  CHECK(residual_at(table, 1024, 4096) == doctest::Approx(12));
  CHECK(residual_at(table, 0.5, 0.1) == doctest::Approx(0));
}

TEST_CASE("a table without axes leaves nothing over") { CHECK(ResidualTable().at({}) == 0); }
