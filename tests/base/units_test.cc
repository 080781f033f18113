#include "base/units.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <string>

namespace orrery {

TEST_CASE("durations in the unit a reader would choose") {
  CHECK(format_duration(0) == "0");
  CHECK(format_duration(999) == "999 ps");
  CHECK(format_duration(812 * kPsPerNs) == "812 ns");
  CHECK(format_duration(57'400 * kPsPerUs) == "57.4 ms");
  CHECK(format_duration(1'200 * kPsPerMs) == "1.20 s");
  CHECK(format_duration(-3 * kPsPerUs) == "-3.00 µs");
  CHECK_FALSE(format_duration(std::numeric_limits<TimePs>::min()).empty());
}

TEST_CASE("a rounded number keeps to three digits and its unit") {
  CHECK(format_duration(99'949 * kPsPerNs) == "99.9 µs");
  CHECK(format_duration(99'951 * kPsPerNs) == "100 µs");
  CHECK(format_duration(9'994 * kPsPerNs) == "9.99 µs");
}

TEST_CASE("bytes and counts") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(999) == "999 B");
  CHECK(format_bytes(338'000'000) == "338 MB");
  CHECK(format_bytes(1'200'000'000) == "1.20 GB");
  CHECK_FALSE(format_bytes(~std::uint64_t{0}).empty());
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(1'234'567) == "1,234,567");
}

TEST_CASE("a count without its separators is the number") {
  CHECK(rc::check([](std::uint64_t count) {
    std::string text = format_count(count);
    text.erase(std::remove(text.begin(), text.end(), ','), text.end());
    RC_ASSERT(text == std::to_string(count));
  }));
}

TEST_CASE("microseconds are exact for whole ones") { CHECK(to_us(57'400 * kPsPerUs) == 57'400.0); }

}  // namespace orrery
