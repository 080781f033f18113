// Reads what torch.cuda.memory._dump_snapshot writes: docs/formats/memory_snapshot.md.
#pragma once

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
  std::vector<Block> blocks;  ///< by address
};

enum class Action : std::uint8_t {
  alloc,
  free_requested,
  free_completed,
  segment_alloc,
  segment_free,
  segment_map,
  segment_unmap,
  oom,
  other
};
struct Event {
  Action action = Action::other;
  std::int64_t address = 0, size = 0, time_us = 0;
  std::int64_t device_free = 0;  ///< of oom
  StringId where = 0;            ///< innermost frame outside of PyTorch; 0: not recorded
};
struct Annotation {
  bool is_start = false;
  std::int64_t device = 0, time_us = 0;
  StringId name = 0;
};

struct Snapshot {
  Interner strings;
  std::vector<Segment> segments;           ///< as at the end
  std::vector<std::vector<Event>> events;  ///< by device, in order
  std::vector<Annotation> annotations;     ///< in order of time
  bool has_other_rules = false;  ///< max_split_size, rounding or expandable segments: blocks are laid out otherwise
};

bool looks_like_snapshot(std::string_view head);

/// A pickle, plain or compressed; nothing in it is executed. An Error if it is anything else.
Result<Snapshot> read_snapshot(const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::memory_snapshot
