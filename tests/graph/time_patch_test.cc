#include "graph/time_patch.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace orrery;
using namespace orrery::graph;

namespace {

std::vector<TimePs> values(const TimePatch& patch) {
  const auto folded = patch.fold();
  const Column<TimePs>& column = folded.dense != nullptr ? *folded.dense : folded.values;
  return {column.begin(), column.end()};
}

}  // namespace

TEST_CASE("changes come back by index, later ones on top of earlier ones") {
  const std::vector<TimePs> base{10, 20, 30, 40};
  TimePatch patch(base, base.size());
  CHECK(patch.empty());
  CHECK(patch.first() == TimePatch::kNone);
  patch.scale(3, 0.5);
  patch.set(1, 7);
  patch.scale(1, 3);
  patch.scale(3, 3);
  CHECK_FALSE(patch.empty());
  CHECK(patch.first() == 1);
  const auto folded = patch.fold();
  CHECK(folded.dense == nullptr);
  REQUIRE(folded.indices.size() == 2);
  CHECK(folded.indices[0] == 1);
  CHECK(folded.indices[1] == 3);
  CHECK(values(patch) == std::vector<TimePs>{21, 60});
}

TEST_CASE("a removed value stays removed") {
  const std::vector<TimePs> base{10};
  TimePatch patch(base, 1);
  patch.remove(0);
  patch.set(0, 5);
  patch.scale(0, 2);
  CHECK(values(patch) == std::vector<TimePs>{kRemovedWeight});
}

TEST_CASE("scaling rounds half away from zero and stays in range") {
  const auto scaled = [](TimePs value, double factor) {
    TimePatch patch(std::span<const TimePs>(&value, 1), 1);
    patch.set(0, value);
    patch.scale(0, factor);
    return values(patch)[0];
  };
  CHECK(scaled(5, 0.5) == 3);
  CHECK(scaled(-5, 0.5) == -3);
  CHECK(scaled(7, 0.25) == 2);
  CHECK(scaled((TimePs{1} << 53) - 1, 1.0) == (TimePs{1} << 53) - 1);
  CHECK(scaled(kMaxWeightPs, 2.0) == kMaxWeightPs);
  CHECK(scaled(kMaxWeightPs, -2.0) == -kMaxWeightPs);
  CHECK(scaled(kMaxWeightPs, 1.0) == kMaxWeightPs);
  CHECK(scaled(1, std::numeric_limits<double>::infinity()) == kMaxWeightPs);
  CHECK(scaled(0, std::numeric_limits<double>::infinity()) == 0);
  CHECK(scaled(9, std::nan("")) == 9);
}

TEST_CASE("values out of range are clamped, and none of them means removed") {
  TimePatch patch({}, 3);
  patch.set(0, INT64_MAX);
  patch.set(1, INT64_MIN);
  patch.set(2, kRemovedWeight);
  CHECK(values(patch) == std::vector<TimePs>{kMaxWeightPs, -kMaxWeightPs, -kMaxWeightPs});
}

TEST_CASE("many changes become a copy of the column, with the same outcome") {
  std::vector<TimePs> base(5000), expected;
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = static_cast<TimePs>(i);
  expected = base;
  TimePatch patch(base, base.size());
  for (std::uint32_t i = 4999; i >= 2000; --i) {
    patch.scale(i, 2);
    expected[i] *= 2;
  }
  patch.set(3000, 1);
  patch.remove(4000);
  patch.set(4000, 9);
  expected[3000] = 1;
  expected[4000] = kRemovedWeight;
  CHECK(patch.fold().dense != nullptr);
  CHECK(patch.first() == 2000);
  CHECK(values(patch) == expected);

  // A copy shares the column until one of the two is changed; so does what fold() returned.
  TimePatch copy = patch;
  const auto folded = patch.fold();
  copy.set(0, 77);
  CHECK(values(patch) == expected);
  CHECK((*folded.dense)[0] == 0);
  expected[0] = 77;
  CHECK(values(copy) == expected);
}

TEST_CASE("a column of zeros need not exist") {
  TimePatch patch({}, 20'000);
  patch.set(7, 5);
  CHECK(values(patch) == std::vector<TimePs>{5});
  for (std::uint32_t i = 0; i < 10'000; ++i) patch.set(i, 1);
  CHECK(values(patch)[7] == 1);
  CHECK(values(patch)[19'999] == 0);
}
