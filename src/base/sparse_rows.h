// Rows of different lengths in two arrays (compressed sparse rows): who waits for whom, which events are of which lane,
// children by parent.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/column.h"

namespace orrery {

/// The entries of row r lie together, in the order in which they were added, right behind those of row r - 1.
template <typename T, typename Offset = std::uint32_t>
class SparseRows {
 public:
  /// No rows.
  SparseRows() : first_(1, 0) {}

  [[nodiscard]] std::size_t row_count() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t entry_count() const { return entries_.size(); }
  [[nodiscard]] std::span<const T> operator[](std::size_t row) const {
    return {entries_.data() + first_[row], length(row)};
  }
  [[nodiscard]] std::span<T> operator[](std::size_t row) { return {entries_.data() + first_[row], length(row)}; }
  [[nodiscard]] std::size_t length(std::size_t row) const { return first_[row + 1] - first_[row]; }
  /// All of them, row by row.
  [[nodiscard]] std::span<const T> entries() const { return {entries_.data(), entries_.size()}; }
  /// Where a row begins in entries(); of the row after the last, where they end.
  [[nodiscard]] Offset first(std::size_t row) const { return first_[row]; }
  [[nodiscard]] std::span<const Offset> firsts() const { return {first_.data(), first_.size()}; }
  [[nodiscard]] std::size_t memory_bytes() const { return first_.memory_bytes() + entries_.memory_bytes(); }

 private:
  template <typename U, typename O, typename ForEach>
  friend SparseRows<U, O> group_by_row(std::size_t row_count, const ForEach& for_each);

  Column<Offset> first_;
  Column<T> entries_;
};

/// Groups entries by counting, in linear time. `for_each(add)` calls add(row, entry) for every entry, and is called
/// twice: it must say the same both times.
template <typename T, typename Offset = std::uint32_t, typename ForEach>
SparseRows<T, Offset> group_by_row(std::size_t row_count, const ForEach& for_each) {
  SparseRows<T, Offset> rows;
  Column<Offset>& first = rows.first_;
  first.assign(row_count + 2, 0);
  std::size_t entries = 0;
  for_each([&](std::size_t row, const T&) { ++first[row + 2], ++entries; });
  assert(entries <= std::numeric_limits<Offset>::max());
  for (std::size_t row = 2; row < first.size(); ++row) first[row] += first[row - 1];
  // first[r + 1] now runs from the first entry of r to behind its last, which is where r + 1 begins: no second table is
  // needed.
  rows.entries_.resize_uninitialized(entries);
  for_each([&](std::size_t row, const T& entry) { rows.entries_[first[row + 1]++] = entry; });
  first.pop_back();
  return rows;
}

}  // namespace orrery
