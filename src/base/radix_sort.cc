#include "base/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace orrery {
namespace {

constexpr unsigned kMostDigitBits = 11;
constexpr unsigned kMostPasses = (64 + kMostDigitBits - 1) / kMostDigitBits;
// Counting digits costs as much as this many items.
constexpr std::size_t kFewItems = 128;

struct KeySpan {
  std::uint64_t base;
  unsigned shift;       // low bits that are the same in all: whole nanoseconds in picoseconds have three
  unsigned bits;        // of (key - base) >> shift
  unsigned index_bits;  // of the largest index
};

KeySpan span_of(const Column<KeyedIndex>& items) {
  std::uint64_t least = items[0].key, greatest = least, differing = 0;
  std::uint32_t indexes = 0;
  for (const KeyedIndex& item : items) {
    least = std::min(least, item.key);
    greatest = std::max(greatest, item.key);
    differing |= item.key ^ items[0].key;
    indexes |= item.index;
  }
  const auto shift = static_cast<unsigned>(std::countr_zero(differing));  // some differ, or the items would be sorted
  return {least, shift, static_cast<unsigned>(std::bit_width((greatest - least) >> shift)),
          static_cast<unsigned>(std::bit_width(indexes))};
}

/// Sorts `items` by the low `bits` bits of `key_of`, by way of `other`, which is as long.
template <typename Item, typename KeyOf>
void sort_by_digits(Column<Item>& items, Column<Item>& other, unsigned bits, KeyOf&& key_of) {
  const unsigned passes = std::max(1U, (bits + kMostDigitBits - 1) / kMostDigitBits);
  const unsigned digit_bits = (bits + passes - 1) / passes;
  const std::uint64_t mask = (std::uint64_t{1} << digit_bits) - 1;
  std::array<std::array<std::uint32_t, std::size_t{1} << kMostDigitBits>, kMostPasses> counts{};
  for (const Item& item : items) {
    std::uint64_t key = key_of(item);
    for (unsigned pass = 0; pass < passes; ++pass, key >>= digit_bits) ++counts[pass][key & mask];
  }
  for (unsigned pass = 0; pass < passes; ++pass) {
    auto& count = counts[pass];
    const unsigned digit_shift = digit_bits * pass;
    if (count[key_of(items[0]) >> digit_shift & mask] == items.size()) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& c : count) sum += std::exchange(c, sum);
    for (const Item& item : items) other[count[key_of(item) >> digit_shift & mask]++] = item;
    std::swap(items, other);
  }
}

/// Key and index in one word: half of the bytes to move.
void sort_packed(Column<KeyedIndex>& items, const KeySpan& span) {
  Column<std::uint64_t> packed(items.size()), other(items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    packed[i] = (items[i].key - span.base) >> span.shift << span.index_bits | items[i].index;
  sort_by_digits(packed, other, span.bits, [&](std::uint64_t item) { return item >> span.index_bits; });
  const std::uint64_t index_mask = (std::uint64_t{1} << span.index_bits) - 1;
  for (std::size_t i = 0; i < items.size(); ++i)
    items[i] = {span.base + (packed[i] >> span.index_bits << span.shift),
                static_cast<std::uint32_t>(packed[i] & index_mask)};
}

}  // namespace

void radix_sort(Column<KeyedIndex>& items) {
  const auto less = [](const KeyedIndex& a, const KeyedIndex& b) { return a.key < b.key; };
  if (std::is_sorted(items.begin(), items.end(), less)) return;
  if (items.size() < kFewItems) {
    std::stable_sort(items.begin(), items.end(), less);
    return;
  }
  const KeySpan span = span_of(items);
  if (span.bits + span.index_bits <= 64) {
    sort_packed(items, span);
    return;
  }
  Column<KeyedIndex> other(items.size());
  sort_by_digits(items, other, span.bits, [&](const KeyedIndex& item) { return (item.key - span.base) >> span.shift; });
}

}  // namespace orrery
