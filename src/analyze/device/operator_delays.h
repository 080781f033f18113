// Which kernels operators launch, and how long after their own begin: the innermost operator of the launching thread.
#pragma once

#include <vector>

#include "analyze/device/device_rank.h"

namespace orrery::analyze {

struct OperatorDelay {
  StringId op = 0;
  std::vector<StringId> kernels;  ///< that one occurrence launched, in order of their calls
  std::size_t count = 0;
  TimePs launch_delay = 0;   ///< mean: from the operator's begin to its first launch call
  TimePs runtime_delay = 0;  ///< mean, signed: from entering that call to the start of its work
  TimePs device_time = 0;    ///< of all their work
};

struct RankOperators {
  const DeviceRank* devices = nullptr;
  std::vector<OperatorDelay> operators;  ///< the most frequent first, then by names
  std::size_t works_without = 0;         ///< whose launch lies in no operator, or was not recorded
};

/// Of ranks that were looked at with operators; copies and sets only `with_memory`.
std::vector<RankOperators> measure_operators(const std::vector<DeviceRank>& ranks, bool with_memory = true);

}  // namespace orrery::analyze
