// The allocator's blocks laid out again, event by event, from a memory snapshot.
//
// Events have what was asked for, the allocator counts blocks: what was asked for rounded up to 512 bytes; a free block
// is split if what is left is at least 512 bytes in small segments, more than 1 MiB in large ones; free neighbours join
// when a free is completed. Laid out again by addresses, the sums are those of torch.cuda.memory_stats() to the byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/memory_snapshot/reader.h"

namespace orrery::analyze {

/// One allocation of the history, or a block that was there before it.
struct Allocation {
  std::int64_t size = 0;  ///< of its block
  std::int64_t requested = 0;
  std::int64_t time_us = 0;  ///< of the call
  StringId where = 0;
  bool is_before = false;  ///< before the history
  bool is_alive = false;   ///< at the end
};

enum class History : std::uint8_t { whole, cut, none };
std::string_view identifier(History history);

struct DeviceMemory {
  std::int64_t device = 0;
  History history = History::none;
  std::int64_t peak_allocated = 0, peak_requested = 0, peak_reserved = 0;
  std::int64_t peak_time_us = 0;       ///< the first moment of most allocated bytes; 0: before the history
  std::vector<std::uint32_t> at_peak;  ///< places in `allocations`
  std::vector<Allocation> allocations;
  // At the end, as the snapshot has it.
  std::int64_t allocated = 0, reserved = 0, pending_free = 0, free = 0, largest_free = 0;
};

/// Of each device that has segments or a history, ascending.
std::vector<DeviceMemory> replay_allocator(const memory_snapshot::Snapshot& snapshot);

}  // namespace orrery::analyze
