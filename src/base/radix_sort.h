// Stable sorting of many integer keys: on one core faster than any comparison sort from a few thousand keys on.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "base/column.h"

namespace orrery {

struct KeyedIndex {
  std::uint64_t key;
  std::uint32_t index;
};

/// Signed times sort as unsigned keys after flipping the sign bit.
inline std::uint64_t radix_key(std::int64_t value) { return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63); }

/// Stable LSD radix sort by key, least significant byte first; bytes that are the same in all keys cost one counting pass and no move.
inline void radix_sort(Column<KeyedIndex>& items) {
  const std::size_t n = items.size();
  if (std::is_sorted(items.begin(), items.end(), [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; })) return;
  std::array<std::array<std::uint32_t, 256>, 8> counts{};
  for (const KeyedIndex& item : items) {
    for (std::size_t byte = 0; byte < 8; ++byte) ++counts[byte][item.key >> (8 * byte) & 0xFF];
  }
  Column<KeyedIndex> other(n);
  for (std::size_t byte = 0; byte < 8; ++byte) {
    auto& count = counts[byte];
    if (count[items[0].key >> (8 * byte) & 0xFF] == n) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& c : count) sum += std::exchange(c, sum);
    for (const KeyedIndex& item : items) other[count[item.key >> (8 * byte) & 0xFF]++] = item;
    std::swap(items, other);
  }
}

}  // namespace orrery
