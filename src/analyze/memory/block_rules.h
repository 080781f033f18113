// Which sizes the blocks of PyTorch's allocator have.
//
// What is asked for is rounded up to 512 bytes, or to the next of `divisions` equal parts between two powers of two.
// Of a free block that is larger the rest is split off: in small segments (for blocks up to 1 MiB) and in expandable
// ones if it is at least 512 bytes; in others if it is more than 1 MiB and the block is below max_split_size.
#pragma once

#include <algorithm>
#include <cstdint>

#include "formats/memory_snapshot/reader.h"

namespace orrery::analyze {

/// Blocks up to this size lie in small segments.
inline constexpr std::int64_t kMostOfSmallBlock = 1 << 20;

/// No device has more, and sums of it stay numbers. A file can claim it.
inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 60;
inline std::int64_t plus_bytes(std::int64_t sum, std::int64_t more) { return std::min(sum + more, kMostBytes); }

/// The least size of a block for so many bytes; `requested` >= 0.
std::int64_t rounded_block(const memory_snapshot::AllocatorSettings& settings, std::int64_t requested);

/// Whether `rest` bytes behind a block of this (rounded) size become a free block of their own; else they belong to it.
bool splits_off(const memory_snapshot::AllocatorSettings& settings, std::int64_t size, std::int64_t rest);

}  // namespace orrery::analyze
