#include "graph/edits.h"

#include <doctest/doctest.h>

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

TEST_CASE("changes come back by index, the last of each") {
  const std::vector<TimePs> base{10, 20, 30, 40};
  TimePatch patch(base, base.size());
  CHECK(patch.empty());
  patch.set(3, 5);
  patch.set(1, 7);
  patch.set(1, 21);
  patch.set(3, 60);
  CHECK_FALSE(patch.empty());
  const auto folded = patch.fold();
  CHECK(folded.dense == nullptr);
  REQUIRE(folded.indices.size() == 2);
  CHECK(folded.indices[0] == 1);
  CHECK(folded.indices[1] == 3);
  CHECK(values(patch) == std::vector<TimePs>{21, 60});
}

TEST_CASE("values out of range are clamped") {
  TimePatch patch({}, 2);
  patch.set(0, INT64_MAX);
  patch.set(1, INT64_MIN);
  CHECK(values(patch) == std::vector<TimePs>{kMaxWeightPs, -kMaxWeightPs});
}

TEST_CASE("many changes become a copy of the column, with the same outcome") {
  std::vector<TimePs> base(5000), expected;
  for (std::size_t i = 0; i < base.size(); ++i) base[i] = static_cast<TimePs>(i);
  expected = base;
  TimePatch patch(base, base.size());
  for (std::uint32_t i = 4999; i >= 2000; --i) {
    patch.set(i, expected[i] *= 2);
  }
  patch.set(3000, 1);
  patch.set(4000, 9);
  expected[3000] = 1;
  expected[4000] = 9;
  CHECK(patch.fold().dense != nullptr);
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
