// What fills the memory of a device, from a snapshot of PyTorch's allocator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/memory/allocator_replay.h"
#include "ask/context.h"

namespace orrery::ask {

/// Whether it is the one file that was named.
bool is_memory_snapshot(const std::vector<std::string>& files);

/// A snapshot, and what the allocator did.
struct ReadMemory {
  memory_snapshot::Snapshot snapshot;
  std::vector<analyze::DeviceMemory> devices;
  std::int64_t peak = 0;      ///< of all devices
  bool is_estimated = false;  ///< of any device
};
/// Remarks on what the file does not tell.
Result<ReadMemory> read_memory(Context& context, const std::string& file);

/// `against`: an earlier snapshot that it is compared with. People see `top` rows; 0: all.
Result<report::Answer> answer_of_snapshot(Context& context, const std::string& file,
                                          const std::optional<std::string>& against, std::size_t top);

}  // namespace orrery::ask
