#include "causal/hta/rows.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <charconv>
#include <string>

#include "base/time_text.h"

using namespace orrery;
using orrery::causal::hta::microseconds_as_double;

namespace {

double from_text(const std::string& text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

TEST_CASE("time stamps as Python reads them") {
  CHECK(microseconds_as_double(0, 0) == 0.0);
  CHECK(microseconds_as_double(0, 250'000) == 0.25);
  CHECK(microseconds_as_double(0, -1'500'000) == -1.5);
  CHECK(microseconds_as_double(3'843'505'893'493, 716'000) == 3843505893493.716);
  // A double counts quarters of a microsecond at today's Unix time: .716 is not one of them.
  CHECK(microseconds_as_double(1'700'000'000'000'000, 716'000) == 1700000000000000.75);
  CHECK(microseconds_as_double(1'700'000'000'000'000, 125'000) == 1700000000000000.0);  // a tie, to even
  CHECK(microseconds_as_double(1'700'000'000'000'000, 375'000) == 1700000000000000.5);  // a tie, to even
  CHECK(microseconds_as_double(1'700'000'000'000'000, 999'999) == 1700000000000001.0);
  // Beyond 2^53 a double counts every other microsecond: just above a half is not a tie.
  CHECK(microseconds_as_double((std::int64_t{1} << 53) + 1, 1) == 9007199254740994.0);
  CHECK(microseconds_as_double((std::int64_t{1} << 53) + 1, 0) == 9007199254740992.0);
}

TEST_CASE("any time stamp becomes the double nearest to its text") {
  CHECK(rc::check([](std::uint64_t bits) {
    const int digits = *rc::gen::inRange(0, 54);
    const auto epoch_us = static_cast<std::int64_t>(bits >> 10 >> digits);
    const auto offset = *rc::gen::inRange<TimePs>(-kPsPerSecond, kPsPerSecond);
    RC_ASSERT(microseconds_as_double(epoch_us, offset) == from_text(decimal_us(Int128{epoch_us} * kPsPerUs + offset)));
    RC_ASSERT(microseconds_as_double(-epoch_us, -offset) == -microseconds_as_double(epoch_us, offset));
  }));
}

TEST_CASE("Unix microseconds with one to six decimals") {
  CHECK(rc::check([] {
    const auto epoch_us = *rc::gen::inRange<std::int64_t>(1'500'000'000'000'000, 1'900'000'000'000'000);
    TimePs unit = 1;
    for (int decimals = *rc::gen::inRange(0, 6); decimals > 0; --decimals) unit *= 10;
    const TimePs offset = *rc::gen::inRange<TimePs>(0, kPsPerUs / unit) * unit;
    RC_ASSERT(microseconds_as_double(epoch_us, offset) == from_text(decimal_us(Int128{epoch_us} * kPsPerUs + offset)));
  }));
}
