#include "formats/kineto/time_text.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

namespace orrery::kineto {
namespace {

std::string print(std::int64_t us, std::int64_t ps, int decimals) { return std::string(TimeText(us, ps, decimals).view()); }

Decimal parse(std::string_view number) {
  const std::string padded = std::string(number) + "," + std::string(64, '\0');
  Decimal decimal;
  REQUIRE(parse_decimal(padded.data(), padded.data() + number.size() + 1, decimal) == padded.data() + number.size());
  return decimal;
}

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

TEST_CASE("a moment printed is the moment read, whatever the file and the clock count from") {
  CHECK(rc::check([] {
    const auto base = *rc::gen::inRange<std::int64_t>(-4'500'000'000'000'000'000, 4'500'000'000'000'000'000);
    const auto epoch = base + *rc::gen::inRange<std::int64_t>(-4'000'000'000'000'000'000, 4'000'000'000'000'000'000);
    const TimeFrame frame(base, epoch);
    const auto moment = *rc::gen::inRange<TimePs>(-4'000'000'000'000'000'000, 4'000'000'000'000'000'000);
    const TimeText text = frame.ts_of(moment, *rc::gen::inRange(0, 7));
    TimePs again = 0;
    RC_ASSERT(frame.moment_of(parse(text.view()), again));
    RC_ASSERT(again == moment);
    RC_ASSERT(TimeFrame::duration_of(parse(TimeFrame::dur_of(moment, 3).view()), again));
    RC_ASSERT(again == moment);
  }));
}

TEST_CASE("a moment is what the file counts from, plus ts, less what the clock counts from") {
  const TimeFrame frame(1'000, 2'500);  // the clock's zero is ts 1.5
  TimePs moment = 0;
  REQUIRE(frame.moment_of(parse("2.000001"), moment));
  CHECK(moment == 500'001);
  CHECK(frame.ts_of(500'001, 0).view() == "2.000001");
  REQUIRE(frame.moment_of(parse("-0.25"), moment));
  CHECK(moment == -1'750'000);
}

TEST_CASE("what does not fit is refused") {
  const TimeFrame frame(0, 0);
  TimePs moment = 0;
  CHECK_FALSE(frame.moment_of(parse("9000000000001"), moment));
  CHECK_FALSE(frame.moment_of(parse("1e40"), moment));
  CHECK_FALSE(TimeFrame::duration_of(parse("-9000000000001"), moment));
}

}  // namespace
}  // namespace orrery::kineto
