// The order into which numpy 1.24 brings equal keys: argsort(kind="quicksort") of 64-bit integers, which is not stable.
//
// Introsort: parts of more than 16 items are partitioned around the median of their first, middle and last, the larger
// half is put off; a part that is taken up again after more than 2 log2(n) partitions is heap-sorted; short parts are
// sorted by insertion. With distinct keys any sort gives the same; with ties the path that Chakra takes through the
// trace follows these steps.
#pragma once

#include <cstdint>
#include <span>

#include "base/column.h"

namespace orrery::causal::chakra {

/// Positions into `keys`, ascending by key. O(n log n).
Column<std::uint32_t> numpy_order(std::span<const std::int64_t> keys);

}  // namespace orrery::causal::chakra
