#include "base/column.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace orrery {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
constexpr std::size_t kMappedBytes = kHugePageBytes;  // blocks from here on are mappings of their own

bool is_mapped(std::size_t bytes) { return bytes >= kMappedBytes; }

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

// Address space for `bytes` that begins where a huge page may begin: there huge pages can be used from the first byte
// on, and moved whole.
void* reserve_aligned(std::size_t bytes) {
  // What is added below must not wrap around: a wrapped size would be mapped, and written past.
  if (bytes > static_cast<std::size_t>(-1) - 2 * kHugePageBytes) throw std::bad_alloc();
  const std::size_t reserved = whole_pages(bytes) + kHugePageBytes;
  void* const space = ::mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) throw std::bad_alloc();
  const auto begin = reinterpret_cast<std::uintptr_t>(space);
  const std::uintptr_t aligned = (begin + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const std::size_t before = aligned - begin, after = kHugePageBytes - before;
  if (before > 0) ::munmap(space, before);
  if (after > 0) ::munmap(reinterpret_cast<char*>(aligned) + whole_pages(bytes), after);
  return reinterpret_cast<void*>(aligned);
}

void* map_block(std::size_t bytes) {
  void* const block = reserve_aligned(bytes);
  if (::mprotect(block, whole_pages(bytes), PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // Of the whole mapping: advice for a part of it would make two mappings of it, which cannot be resized together.
  ::madvise(block, whole_pages(bytes), MADV_HUGEPAGE);
#endif
  return block;
}

void free_block(void* block, std::size_t bytes) {
  if (is_mapped(bytes)) ::munmap(block, whole_pages(bytes));
  else std::free(block);
}

void* resize_mapping(void* block, std::size_t old_bytes, std::size_t new_bytes) {
#ifdef MREMAP_FIXED
  // Without leave to move first: moved by the system, the block would begin at any page, and huge pages could not be
  // moved whole the next time.
  void* const in_place = ::mremap(block, whole_pages(old_bytes), whole_pages(new_bytes), 0);
  if (in_place != MAP_FAILED) return in_place;
  void* const target = reserve_aligned(new_bytes);
  void* const resized =
      ::mremap(block, whole_pages(old_bytes), whole_pages(new_bytes), MREMAP_MAYMOVE | MREMAP_FIXED, target);
  if (resized != MAP_FAILED) return resized;
  ::munmap(target, whole_pages(new_bytes));
#endif
  // Neither worked, or there is no mremap here: then the bytes are copied.
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
  // A null block may not be handed to memcpy, not even for nothing.
  if (old_bytes != 0) std::memcpy(moved, block, std::min(old_bytes, new_bytes));
  free_block(block, old_bytes);
  return moved;
}

}  // namespace orrery
