#include "scrub/time_shift.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "scrub/files/json_rewriter.h"
#include "scrub/small_scrub.h"
#include "scrub/words/id_map.h"

namespace orrery::scrub {
namespace {

using testing::fixed_key;

TEST_CASE("the first moment goes to just after the power of two below it, by whole seconds") {
  CHECK(choose_shift_us(-5) == 0);
  CHECK(choose_shift_us(0) == 0);
  CHECK(choose_shift_us((std::int64_t{1} << 40) - 1) == 0);
  const std::int64_t now = 1'790'857'026'123'456;
  const std::int64_t shift = choose_shift_us(now);
  CHECK(shift % 1'000'000 == 0);
  CHECK(now - shift >= std::int64_t{1} << 50);
  CHECK(now - shift < (std::int64_t{1} << 50) + 1'000'000);
}

TEST_CASE("doubles round a moved moment as they rounded it before") {
  rc::check([] {
    const auto first = *rc::gen::inRange<std::int64_t>(std::int64_t{1} << 40, std::int64_t{1} << 51);
    const auto later = first + *rc::gen::inRange<std::int64_t>(0, 1'000'000'000);
    if (std::bit_width(static_cast<std::uint64_t>(later)) != std::bit_width(static_cast<std::uint64_t>(first))) return;
    const std::string text = fmt::format("{}.{:03}", later, *rc::gen::inRange(0, 1000));
    const std::int64_t shift = choose_shift_us(first);
    const double before = std::strtod(text.c_str(), nullptr);
    const double after = std::strtod(shift_decimal_us(text, shift).c_str(), nullptr);
    RC_ASSERT(after + static_cast<double>(shift) == before);
  });
}

TEST_CASE("digits after the point stay as they are") {
  CHECK(shift_decimal_us("3843458004047.263", 3843458000000) == "4047.263");
  CHECK(shift_decimal_us("3843458004047.100", 3843458000000) == "4047.100");
  CHECK(shift_decimal_us("12", 2) == "10");
  CHECK(shift_decimal_us("12.5", 0) == "12.5");
  CHECK(shift_decimal_us("-3.25", 1) == "-4.250000");
  CHECK(shift_decimal_us("1e3", 1) == "999.000000");
  CHECK(shift_decimal_us("\"12\"", 1) == "");
  CHECK(shift_decimal_us("null", 1) == "");
  CHECK(shift_decimal_us("1e99", 1) == "1e300");
}

TEST_CASE("a warp moves no moment by more than its bound and changes no order") {
  rc::check([] {
    const TimePs bound = *rc::gen::inRange<TimePs>(1, 1'000'000'000);
    TimeWarp warp(fixed_key(*rc::gen::arbitrary<std::uint8_t>()), bound);
    const auto times =
        *rc::gen::container<std::vector<TimePs>>(rc::gen::inRange<TimePs>(-100'000'000'000, 100'000'000'000));
    for (std::size_t i = 0; i < times.size(); ++i) {
      const TimePs warped = warp(times[i]);
      RC_ASSERT(std::abs(warped - times[i]) <= bound);
      if (i > 0 && times[i - 1] <= times[i]) RC_ASSERT(warp(times[i - 1]) <= warped);
      if (i > 0 && times[i - 1] + 3 < times[i]) RC_ASSERT(warp(times[i - 1]) < warped);
    }
  });
}

TEST_CASE("a warp stretches by half at most, and depends on the key") {
  TimeWarp warp(fixed_key(), 5'000'000), other(fixed_key(1), 5'000'000), none(fixed_key(), 0);
  CHECK(none(123) == 123);
  CHECK(none.stretch(123, 4) == 123);
  CHECK(warp(1'000'000'000) != other(1'000'000'000));
  for (TimePs duration : {0, 1, 100, 10'000'000, 2'000'000'000}) {
    for (std::uint64_t which = 0; which < 50; ++which) {
      const TimePs stretched = warp.stretch(duration, which);
      CHECK(std::abs(stretched - duration) <= std::min<TimePs>(5'000'000, duration / 2));
    }
  }
}

TEST_CASE("a warped event has as many digits as before, and ends where its end went") {
  TimeWarp warp(fixed_key(), 3 * kPsPerUs);
  const auto [start, duration] = warp_decimal_us("5000123.457", "8.250", 0, 5000000, warp);
  TimeWarp again(fixed_key(), 3 * kPsPerUs);
  const double begin = std::strtod(start.c_str(), nullptr), length = std::strtod(duration.c_str(), nullptr);
  CHECK(start.size() == 11);
  CHECK(duration.substr(duration.find('.')).size() == 4);
  CHECK(begin == doctest::Approx(5000000 + to_us(again(123'457'000))).epsilon(1e-10));
  CHECK(begin + length == doctest::Approx(5000000 + to_us(again(131'707'000))).epsilon(1e-10));
  CHECK(warp_decimal_us("7", "2", 0, 0, warp).first.find('.') == std::string::npos);
  CHECK(warp_decimal_us("\"x\"", "2", 0, 0, warp) == std::pair<std::string, std::string>());
  CHECK(warp_decimal_us("7", "2secret", 0, 0, warp) == std::pair<std::string, std::string>("7", ""));
}

TEST_CASE("sizes are rounded to their leading bits") {
  CHECK(round_size(0, 3) == 0);
  CHECK(round_size(7, 3) == 7);
  CHECK(round_size(1000, 0) == 1000);
  CHECK(round_size(1000, 1) == 1024);
  CHECK(round_size(700, 1) == 512);
  CHECK(round_size(1000, 3) == 1024);
  CHECK(round_size(900, 3) == 896);
  CHECK(round_size(~std::uint64_t{0}, 4) == 0xF000000000000000);
  rc::check([] {
    const auto value = *rc::gen::arbitrary<std::uint32_t>();
    const int bits = *rc::gen::inRange(1, 20);
    const std::uint64_t rounded = round_size(value, bits);
    const std::uint64_t error = rounded > value ? rounded - value : value - rounded;
    RC_ASSERT(error << bits <= value);
  });
}

TEST_CASE("numbers of processes become small ones in the same order") {
  IdMap map(64), more(64);
  for (const std::int64_t number : {4711, 7, 99, 4711, 1'000'000}) map.collect(number);
  more.collect(5000);
  map.collect(more);
  map.seal();
  CHECK(map.find(7) == 7);
  CHECK(map.find(-3) == -1);
  CHECK(map.find(99) == 1000);
  CHECK(map.find(4711) == 1001);
  CHECK(map.find(5000) == 1002);
  CHECK(map.find(1'000'000) == 1003);
  CHECK_FALSE(map.find(100));
}

}  // namespace
}  // namespace orrery::scrub
