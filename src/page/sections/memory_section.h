// What fills the memory of a device, from a snapshot of PyTorch's allocator.
#pragma once

#include <string>
#include <vector>

#include "analyze/memory/allocator_replay.h"
#include "page/sections/section.h"

namespace orrery::page {

/// Refers to what must outlive it.
struct SnapshotMemory {
  const memory_snapshot::Snapshot& snapshot;
  const std::vector<analyze::DeviceMemory>& devices;
  std::string file;
};

/// #verdict: the peak of all devices, and what fills it.
Section memory_verdict_section(const SnapshotMemory& memory);
/// #memory: over time, at the peak, at the end; what leaks, and what did not fit.
Section memory_section(const SnapshotMemory& memory);
/// #diff: how the peaks differ.
Section memory_changes_section(const SnapshotMemory& before, const SnapshotMemory& now);

}  // namespace orrery::page
