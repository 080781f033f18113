#include "machine/nearest_name.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

using orrery::machine::nearest_name;

TEST_CASE("the nearest name is a continuation or a few typing errors away") {
  constexpr std::array<std::string_view, 5> known = {"name", "size", "bandwidth_gb_per_s", "latency_ns", "topology"};
  CHECK(nearest_name("bandwidth", known) == "bandwidth_gb_per_s");
  CHECK(nearest_name("bandwith_gb_per_s", known) == "bandwidth_gb_per_s");
  CHECK(nearest_name("bandwidth_gbps", known) == "bandwidth_gb_per_s");
  CHECK(nearest_name("latency_us", known) == "latency_ns");
  CHECK(nearest_name("latency", known) == "latency_ns");
  CHECK(nearest_name("topolgy", known) == "topology");
  CHECK(nearest_name("Size", known) == "size");
  CHECK(nearest_name("colour", known).empty());
  CHECK(nearest_name("", known).empty());
  CHECK(nearest_name(std::string(100'000, 'x'), known).empty());
  CHECK(nearest_name("x", {}).empty());
}
