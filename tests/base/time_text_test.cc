#include "base/time_text.h"

#include <doctest/doctest.h>

#include <string>

#include "base/units.h"

namespace orrery {
namespace {

std::string print(std::int64_t us, std::int64_t ps, int decimals) {
  return std::string(TimeText(us, ps, decimals).view());
}

}  // namespace

TEST_CASE("digits behind the point: as many as needed, and at least as many as asked for") {
  CHECK(print(12, 500'000, 3) == "12.500");
  CHECK(print(12, 500'000, 0) == "12.5");
  CHECK(print(12, 500'001, 3) == "12.500001");
  CHECK(print(12, 0, 0) == "12");
  CHECK(print(12, 0, 1) == "12.0");
  CHECK(print(0, 1, 0) == "0.000001");
  CHECK(print(1'700'000'000'123'456, 789'000, 2) == "1700000000123456.789");
  CHECK(print(5, 0, 40) == "5.000000");
  CHECK(print(5, 0, -1) == "5");
}

TEST_CASE("below zero the fraction counts down") {
  CHECK(print(-3, 250'000, 0) == "-2.75");
  CHECK(print(-1, 999'999, 0) == "-0.000001");
  CHECK(print(-3, 0, 2) == "-3.00");
}

TEST_CASE("decimals of a number as written") {
  CHECK(count_decimals("12") == 0);
  CHECK(count_decimals("12.500") == 3);
  CHECK(count_decimals("1.5e3") == 1);
  CHECK(count_decimals("1e3") == 0);
}

TEST_CASE("any number of picoseconds as microseconds, exactly") {
  CHECK(decimal_us(0) == "0");
  CHECK(decimal_us(1) == "0.000001");
  CHECK(decimal_us(-1) == "-0.000001");
  CHECK(decimal_us(-1'500'000) == "-1.5");
  CHECK(decimal_us(Int128{3843505893000000} * kPsPerUs + 493'716'000) == "3843505893000493.716");
  CHECK(decimal_us(Int128{1'700'000'000'123'456'789} * kPsPerNs + 999) == "1700000000123456.789999");
  CHECK(decimal_us(12'500'000, 3) == "12.500");
}

}  // namespace orrery
