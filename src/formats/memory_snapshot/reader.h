// Reads what torch.cuda.memory._dump_snapshot writes: docs/formats/memory_snapshot.md.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "base/result.h"

namespace orrery::memory_snapshot {

inline constexpr DiagnosticKind kOddEntry{
    "Y201", Severity::warning, "memory snapshot: segment, block or event without a place or a size", "it was left out"};

enum class BlockState : std::uint8_t { allocated, pending_free, inactive };
struct Block {
  std::int64_t address = 0, size = 0, requested = 0;
  BlockState state = BlockState::inactive;
  StringId where = 0;
};
struct Segment {
  std::int64_t device = 0, address = 0, size = 0;
  bool is_small = false;
  std::vector<Block> blocks = {};  ///< by address
  bool is_expandable = false;      ///< it grows and shrinks by pages, which are mapped and unmapped
};

enum class Action : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  oom
};
/// Histories are long: 32 bytes.
struct Event {
  std::int64_t address = 0, size = 0, time_us = 0;
  StringId where = 0;  ///< innermost frame outside of PyTorch; 0: not recorded
  Action action = Action::alloc;
};
/// What did not fit.
struct OutOfMemory {
  std::size_t device = 0;
  std::int64_t size = 0, free = 0, time_us = 0;
  StringId where = 0;
};
struct Annotation {
  bool is_start = false;
  std::int64_t device = 0, time_us = 0;
  StringId name = 0;
};

/// What was set of the allocator, as far as sizes of blocks depend on it.
struct AllocatorSettings {
  static constexpr std::int64_t kNoLimit = INT64_MAX;

  std::int64_t max_split_size = kNoLimit;  ///< blocks of at least this size are not split
  bool expandable_segments = false;
  /// Into how many parts the way to the next power of two is divided, to whose next one a size is rounded up: of sizes
  /// below 2 MiB, from 2 MiB, 4 MiB, ..., 32 GiB on. 0, 1: to 512 bytes.
  std::array<std::int64_t, 16> roundup_divisions = {};
};

struct Snapshot {
  Interner strings;
  std::vector<Segment> segments;           ///< as at the end
  std::vector<std::vector<Event>> events;  ///< by device, in order
  std::vector<OutOfMemory> out_of_memory;  ///< by device, in order
  std::vector<Annotation> annotations;     ///< in order of time
  AllocatorSettings settings;              ///< at the end; those of PyTorch itself where none are recorded
};

bool looks_like_snapshot(std::string_view head);

/// A pickle, plain or compressed; nothing in it is executed. An Error if it is anything else.
Result<Snapshot> read_snapshot(const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::memory_snapshot
