// The order of equal keys, worked out by hand from the steps of numpy's introsort.
#include "causal/chakra/launch_history.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

using namespace orrery;
using orrery::causal::chakra::numpy_order;

namespace {

std::vector<std::uint32_t> order_of(const std::vector<std::int64_t>& keys) {
  const Column<std::uint32_t> order = numpy_order(keys);
  return {order.begin(), order.end()};
}

}  // namespace

TEST_CASE("numpy order: up to 16 items are sorted by insertion, which keeps the order of equal ones") {
  CHECK(order_of({}).empty());
  CHECK(order_of({5}) == std::vector<std::uint32_t>{0});
  CHECK(order_of({3, 1, 3, 1, 2}) == std::vector<std::uint32_t>{1, 3, 4, 0, 2});
  const std::vector<std::int64_t> equal(16, 4);
  CHECK(order_of(equal) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
}

// The pivot (8) is parked at 15; then 1 and 14, 2 and 13, ... change places until the scans meet at 8, where the pivot
// goes.
TEST_CASE("numpy order: 17 equal keys are partitioned once") {
  const std::vector<std::int64_t> equal(17, 4);
  CHECK(order_of(equal) == std::vector<std::uint32_t>{0, 14, 13, 12, 11, 10, 9, 15, 8, 6, 5, 4, 3, 2, 1, 7, 16});
}

TEST_CASE("numpy order: distinct keys come out as from any sort, also where it ends in heap sort") {
  // Two ascending lists one after the other, as launches and waits are: medians are poor and the partitions run out.
  std::vector<std::int64_t> keys;
  for (std::int64_t i = 0; i < 4000; ++i) keys.push_back(2 * i);
  for (std::int64_t i = 0; i < 4000; ++i) keys.push_back(2 * i + 1);
  const std::vector<std::uint32_t> order = order_of(keys);
  for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(keys[order[i]] == static_cast<std::int64_t>(i));
}

TEST_CASE("numpy order: a permutation that ascends") {
  rc::check("numpy order", [](const std::vector<std::uint8_t>& few_values) {
    const std::vector<std::int64_t> keys(few_values.begin(), few_values.end());
    std::vector<std::uint32_t> order = order_of(keys);
    for (std::size_t i = 1; i < order.size(); ++i) RC_ASSERT(keys[order[i - 1]] <= keys[order[i]]);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) RC_ASSERT(order[i] == i);
  });
}
