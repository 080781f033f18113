#include "base/radix_sort.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

using namespace orrery;

namespace {

// Keys of `bits` bits times `step` above `base`; with few bits many are equal, and their order shows whether sorting is
// stable.
std::vector<KeyedIndex> random_items(std::uint64_t seed, std::size_t count, unsigned bits, std::uint64_t step,
                                     std::uint64_t base) {
  std::vector<KeyedIndex> items;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t key = base + (bits == 0 ? 0 : next_random(seed) >> (64 - bits)) * step;
    items.push_back({key, static_cast<std::uint32_t>(next_random(seed))});
  }
  return items;
}

bool sorts_as_by_comparison(std::vector<KeyedIndex> items) {
  Column<KeyedIndex> sorted;
  sorted.append(items);
  radix_sort(sorted);
  std::stable_sort(items.begin(), items.end(), [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; });
  return std::equal(items.begin(), items.end(), sorted.begin(), sorted.end(),
                    [](const KeyedIndex& a, const KeyedIndex& b) { return a.key == b.key && a.index == b.index; });
}

}  // namespace

TEST_CASE("sorts by key, and leaves equal keys in their order") {
  rc::check([](std::uint64_t seed) {
    std::uint64_t state = seed;
    const std::size_t count = next_random(state) % 2000;
    const auto bits = static_cast<unsigned>(next_random(state) % 65);
    std::vector<KeyedIndex> items = random_items(seed, count, bits, 1, 0);
    // Small indexes fit into a word beside the key, large ones do not.
    if (next_random(state) % 2 == 0) {
      for (KeyedIndex& item : items) item.index %= 2000;
    }
    RC_ASSERT(sorts_as_by_comparison(items));
  });
}

TEST_CASE("times in whole nanoseconds, before and after the epoch") {
  std::vector<KeyedIndex> items = random_items(1, 5000, 33, 1000, radix_key(-4'000'000'000'000));
  CHECK(sorts_as_by_comparison(items));
  for (std::uint32_t i = 0; i < items.size(); ++i) items[i].index = i;
  CHECK(sorts_as_by_comparison(items));
}

TEST_CASE("nothing, one, and what is sorted already") {
  CHECK(sorts_as_by_comparison({}));
  CHECK(sorts_as_by_comparison({{7, 1}}));
  CHECK(sorts_as_by_comparison(std::vector<KeyedIndex>(1000, KeyedIndex{7, 1})));
}

TEST_CASE("the whole range of keys") {
  std::vector<KeyedIndex> items = random_items(3, 1000, 64, 1, 0);
  items.push_back({~std::uint64_t{0}, 0});
  items.push_back({0, ~std::uint32_t{0}});
  CHECK(sorts_as_by_comparison(items));
}
