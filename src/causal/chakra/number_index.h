// From numbers that a trace gives to its records to where those are.
#pragma once

#include <cstdint>

#include "base/column.h"
#include "base/radix_sort.h"

namespace orrery::causal::chakra {

/// Ids are mostly counted up: then a table of them is small and a lookup one access, otherwise O(log n).
class NumberIndex {
 public:
  static constexpr std::uint32_t kMissing = ~std::uint32_t{0};

  /// Of entries with the same number the last one counts.
  void add(std::int64_t number, std::uint32_t place) { entries_.push_back({radix_key(number), place}); }
  /// To be called once, after the last add().
  void seal();
  /// The place of `number`, kMissing if it was not added.
  [[nodiscard]] std::uint32_t find(std::int64_t number) const;

 private:
  Column<KeyedIndex> entries_;
  Column<std::uint32_t> table_;  // from `base_` on; empty: look in the sorted entries
  std::int64_t base_ = 0;
};

}  // namespace orrery::causal::chakra
