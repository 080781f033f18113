// Stable sorting of many integer keys: on one core faster than any comparison sort from a few thousand keys on.
#pragma once

#include <cstdint>

#include "base/column.h"

namespace orrery {

struct KeyedIndex {
  std::uint64_t key;
  std::uint32_t index;
};

/// Signed times sort as unsigned keys after flipping the sign bit.
inline std::uint64_t radix_key(std::int64_t value) {
  return static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63);
}

/// Stable LSD radix sort by key, up to eleven bits at a time over the range that the keys span: the times of a trace of
/// minutes, in picoseconds, take four or five passes. Needs as much memory again as the items.
void radix_sort(Column<KeyedIndex>& items);

}  // namespace orrery
