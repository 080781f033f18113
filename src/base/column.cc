#include "base/column.h"

#include <sys/mman.h>

#include <algorithm>

namespace orrery {
namespace {

constexpr std::size_t kMappedBytes = std::size_t{1} << 20;  // blocks from here on are mappings of their own
constexpr std::size_t kPageBytes = 4096;

bool is_mapped(std::size_t bytes) { return bytes >= kMappedBytes; }

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

// Of the whole mapping: advice for a part of it would make two mappings of it, which cannot be resized together.
void prefer_huge_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  ::madvise(block, whole_pages(bytes), MADV_HUGEPAGE);
#endif
}

void* map_block(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(-1) - kPageBytes) throw std::bad_alloc();
  void* block = ::mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) throw std::bad_alloc();
  prefer_huge_pages(block, bytes);
  return block;
}

void free_block(void* block, std::size_t bytes) {
  if (is_mapped(bytes)) ::munmap(block, whole_pages(bytes));
  else std::free(block);
}

void* resize_mapping(void* block, std::size_t old_bytes, std::size_t new_bytes) {
#ifdef MREMAP_MAYMOVE
  void* const resized = ::mremap(block, whole_pages(old_bytes), whole_pages(new_bytes), MREMAP_MAYMOVE);
  if (resized != MAP_FAILED) return resized;
#endif
  void* const moved = map_block(new_bytes);
  std::memcpy(moved, block, std::min(old_bytes, new_bytes));
  free_block(block, old_bytes);
  return moved;
}

}  // namespace

void* resize_block(void* block, std::size_t old_bytes, std::size_t new_bytes) {
  if (new_bytes == 0) {
    free_block(block, old_bytes);
    return nullptr;
  }
  if (!is_mapped(new_bytes) && !is_mapped(old_bytes)) {
    void* const moved = std::realloc(block, new_bytes);
    if (moved == nullptr) throw std::bad_alloc();
    return moved;
  }
  if (is_mapped(new_bytes) && is_mapped(old_bytes)) return resize_mapping(block, old_bytes, new_bytes);
  void* const moved = is_mapped(new_bytes) ? map_block(new_bytes) : std::malloc(new_bytes);
  if (moved == nullptr) throw std::bad_alloc();
  if (old_bytes != 0) std::memcpy(moved, block, std::min(old_bytes, new_bytes));
  free_block(block, old_bytes);
  return moved;
}

}  // namespace orrery
