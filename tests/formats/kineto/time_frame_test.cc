#include "formats/kineto/event_times.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

namespace orrery::kineto {
namespace {

Decimal parse(std::string_view number) {
  const std::string padded = std::string(number) + "," + std::string(64, '\0');
  Decimal decimal;
  REQUIRE(parse_decimal(padded.data(), padded.data() + number.size() + 1, decimal) == padded.data() + number.size());
  return decimal;
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
