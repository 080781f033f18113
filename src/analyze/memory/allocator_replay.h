// The allocator's blocks laid out again, event by event, from a memory snapshot.
//
// Events have what was asked for, the allocator counts blocks, whose sizes follow from block_rules.h and from what lies
// behind them: free neighbours join when a free is completed. Laid out again by addresses, the sums are those of
// torch.cuda.memory_stats() to the byte.
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

/// An allocation begins or ends to count: its end is the moment at which its free was asked for.
struct MemoryChange {
  std::int64_t time_us = 0;
  std::uint32_t allocation = 0;  ///< place in DeviceMemory::allocations
  bool is_end = false;
};

enum class History : std::uint8_t { whole, cut, none };
std::string_view identifier(History history);

/// What segments hold at the end, as the snapshot has it, in bytes.
struct SegmentBytes {
  std::int64_t reserved = 0, allocated = 0, pending_free = 0, free = 0, largest_free = 0;

  void add(const memory_snapshot::Segment& segment);
};

struct DeviceMemory {
  std::int64_t device = 0;
  History history = History::none;
  /// A block of the end is not of the size that the rules give: the allocator has others, or had at another time.
  bool is_estimated = false;
  std::int64_t peak_allocated = 0, peak_requested = 0, peak_reserved = 0;
  std::int64_t peak_time_us = 0;       ///< the first moment of most allocated bytes; 0: before the history
  std::vector<std::uint32_t> at_peak;  ///< places in `allocations`, ascending
  std::vector<Allocation> allocations;
  /// Allocated bytes over time, in the order of the events; first what was there before, at the time of the first
  /// event.
  std::vector<MemoryChange> changes;
  std::int64_t first_us = 0, last_us = 0;  ///< of the events
  SegmentBytes at_end;
};

/// Of each device that has segments or a history, ascending.
std::vector<DeviceMemory> replay_allocator(const memory_snapshot::Snapshot& snapshot);

}  // namespace orrery::analyze
