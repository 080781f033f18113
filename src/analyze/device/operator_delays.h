// Which kernels operators launch, and how long after their own begin: the innermost operator of the launching thread.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/device/device_rank.h"

namespace orrery::analyze {

// Operators inside operators, with the device work that each launched itself and that all inside it launched.

/// All occurrences of an operator inside the same operators: aten::addmm inside aten::linear inside nothing.
struct OperatorNode {
  StringId op = 0;
  std::uint32_t depth = 0;     ///< 0: inside no other
  std::size_t calls = 0;       ///< occurrences that launched something, themselves or by operators inside
  std::size_t own_works = 0;   ///< of which it is the innermost operator
  std::size_t works = 0;       ///< and of operators inside it
  TimePs own_device_time = 0;  ///< sums over work, as far as it lies in the window
  TimePs device_time = 0;
  TimePs host_time = 0;  ///< of its occurrences
};

struct RankOperatorTree {
  const DeviceRank* devices = nullptr;
  std::vector<OperatorNode> nodes;  ///< each before those inside it; of those side by side the one with the most device
                                    ///< time first, then by name
};

/// Of ranks that were looked at with operators. O(works + operators that launch).
std::vector<RankOperatorTree> nest_operators(const std::vector<DeviceRank>& ranks, bool with_memory);

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
