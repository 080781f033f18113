// Columns of many megabytes that are about to be written from end to end. Private to src/graph.
#pragma once

#include <sys/mman.h>

#include <cstdint>

#include "base/column.h"

namespace orrery::graph {

/// Asks the system for 2 MiB pages: at these sizes first touching the memory page by page costs as much as a sweep over it, and random
/// access spends most of its time on address translation. No more than a wish; without support everything works the same.
template <typename T>
void prefer_huge_pages(const Column<T>& column) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(column.data());
  const std::uintptr_t begin = (address + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t end = (address + column.memory_bytes()) / kHugePage * kHugePage;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

/// `size` values that are yet to be written.
template <typename T>
Column<T> large_column(std::size_t size) {
  Column<T> column(size);
  prefer_huge_pages(column);
  return column;
}

}  // namespace orrery::graph
