// Which kernels an operator launches, in which order, and how often that order came.
#pragma once

#include <string>
#include <vector>

#include "analyze/device/device_rank.h"

namespace orrery::analyze {

struct KernelSequence {
  std::int64_t rank = 0;
  StringId op = 0;
  std::vector<StringId> kernels;  ///< in order of start, over all streams and devices
  std::size_t count = 0;
  TimePs device_time = 0;
  TimePs host_time = 0;
};

/// Of operators and annotations whose name is `pattern` (* and ? stand for any text and letter), the outermost of each thread, wherever they are; those
/// with fewer than `least` kernels, copies and sets are left out. By rank, then the most frequent first, then by names.
std::vector<KernelSequence> kernel_sequences(const std::vector<DeviceRank>& ranks, const std::string& pattern, std::size_t least);

}  // namespace orrery::analyze
