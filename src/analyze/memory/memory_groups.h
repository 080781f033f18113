// Allocations by what made them: the line of the program, or the phase.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/memory/allocator_replay.h"

namespace orrery::analyze {

/// Each allocation belongs to one group.
struct MemoryGroups {
  std::vector<std::string> names;            ///< each once
  std::vector<std::uint32_t> of_allocation;  ///< place in `names`, as DeviceMemory::allocations
};

/// By innermost frame outside of PyTorch; "(not recorded)".
MemoryGroups groups_by_frame(const memory_snapshot::Snapshot& snapshot, const DeviceMemory& memory);
/// By the innermost annotation in which they were made: "(before)" the history or the first one, "(outside)" of all.
MemoryGroups groups_by_phase(const memory_snapshot::Snapshot& snapshot, const DeviceMemory& memory);

/// What a place is called: "(not recorded)" for 0.
std::string memory_place(const memory_snapshot::Snapshot& snapshot, StringId where);

}  // namespace orrery::analyze
