// What of a graph is seen and touched from elsewhere; see reduce.h.
#pragma once

#include <cstdint>
#include <span>

#include "graph/types.h"

namespace orrery::graph {

/// What the surroundings of a graph touch. The graph's nodes must take no time.
struct Outside {
  std::span<const std::uint8_t> moments;  ///< by position: 1 for an outside moment
  std::span<const Slot> variable;         ///< ascending; both ends are outside moments
};

}  // namespace orrery::graph
