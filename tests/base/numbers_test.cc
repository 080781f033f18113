#include "base/numbers.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <string>

using namespace orrery;

TEST_CASE("a number is all of its text or nothing") {
  CHECK(parse_number<std::int64_t>("42") == 42);
  CHECK(parse_number<std::int64_t>("-42") == -42);
  CHECK(parse_number<std::int64_t>("007") == 7);
  for (const char* text : {"", " 42", "42 ", "+42", "42.0", "4_2", "0x2a", "-", "forty"})
    CHECK_FALSE(parse_number<std::int64_t>(text));
  CHECK_FALSE(parse_number<std::uint64_t>("-1"));
  CHECK(parse_number<double>("1e6") == 1e6);
  CHECK(parse_number<double>(".5") == 0.5);
  for (const char* text : {"", "1,5", "1.5 ", "+1", "1e", "0x1p3"}) CHECK_FALSE(parse_number<double>(text));
}

TEST_CASE("what does not fit is no number") {
  CHECK(parse_number<std::int64_t>("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK_FALSE(parse_number<std::int64_t>("9223372036854775808"));
  CHECK_FALSE(parse_number<std::uint32_t>("4294967296"));
  CHECK_FALSE(parse_number<double>("1e999"));
  const auto scan = scan_number<std::int64_t>("99999999999999999999 ranks");
  CHECK(scan.used == 20);
  CHECK_FALSE(scan.in_range);
  CHECK_FALSE(scan.is_number());
}

TEST_CASE("infinity is a number, but no finite one") {
  CHECK(parse_number<double>("inf").has_value());
  CHECK(parse_number<double>("nan").has_value());
  CHECK_FALSE(parse_finite("inf"));
  CHECK_FALSE(parse_finite("nan"));
  CHECK(parse_finite("2.5") == 2.5);
}

TEST_CASE("a failure leaves what was there") {
  int number = 5;
  CHECK_FALSE(parse_number("12 ranks", number));
  CHECK(number == 5);
  std::string_view text = "ranks 12";
  CHECK_FALSE(take_number(text, number));
  CHECK(text == "ranks 12");
  CHECK(number == 5);
}

TEST_CASE("a number at the front is seen, or taken") {
  CHECK(leading_number<int>("7 warps") == 7);
  CHECK_FALSE(leading_number<int>("warp 7"));
  std::string_view text = "3,-4;rest";
  int first = 0, second = 0;
  CHECK(take_number(text, first));
  text.remove_prefix(1);
  CHECK(take_number(text, second));
  CHECK(first == 3);
  CHECK(second == -4);
  CHECK(text == ";rest");
}

TEST_CASE("digits of base 16 have no prefix") {
  std::uint64_t hash = 0;
  CHECK(parse_number("00ff1234deadbeef", hash, 16));
  CHECK(hash == 0x00ff1234deadbeef);
  CHECK_FALSE(parse_number("0xff", hash, 16));
}

TEST_CASE("what is written reads back, with and without something behind it") {
  rc::check([](std::int64_t number) { return parse_number<std::int64_t>(std::to_string(number)) == number; });
  rc::check(
      [](std::uint64_t number) { return parse_number<std::uint64_t>(fmt::format("{:x}", number), 16) == number; });
  rc::check([](double number) { return parse_number<double>(fmt::format("{}", number)) == number; });
  rc::check([](std::int64_t number, std::uint64_t behind) {
    const std::string written = std::to_string(number) + "," + std::to_string(behind);
    std::string_view text = written;
    std::int64_t first = 0;
    std::uint64_t second = 0;
    RC_ASSERT(!parse_number<std::int64_t>(written));
    RC_ASSERT(leading_number<std::int64_t>(written) == number);
    RC_ASSERT(take_number(text, first) && first == number);
    text.remove_prefix(1);
    RC_ASSERT(take_number(text, second) && second == behind && text.empty());
  });
}
