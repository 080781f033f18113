// The numbers a graph is addressed by, and the range of times for which its sums are exact.
#pragma once

#include <cstdint>

#include "base/units.h"

namespace orrery::graph {

using NodeId = std::uint32_t;  ///< in order of GraphBuilder::add_node
using EdgeId = std::uint32_t;  ///< in order of GraphBuilder::add_edge
using Slot = std::uint32_t;    ///< where an edge lies in the rows: edges of one target are neighbours
using Position =
    std::uint32_t;  ///< rank of a node in the topological order: an edge's source has a smaller one than its target

inline constexpr NodeId kNoNode = ~NodeId{0};
inline constexpr Slot kNoSlot = ~Slot{0};
inline constexpr std::uint32_t kNoTag = ~std::uint32_t{0};

/// Durations and weights lie within +-kMaxWeightPs (26 days): the builder refuses others, Edits clamp them.
inline constexpr TimePs kMaxWeightPs = (TimePs{1} << 61) - 1;
/// A finish saturates here (53 days). Together the two limits keep every sum within 63 bits:
/// finish + weight + duration <= 2^62 - 1 + 2 * (2^61 - 1).
inline constexpr TimePs kMaxFinishPs = (TimePs{1} << 62) - 1;
/// The slack of what can grow without end, because it does not lead to the end asked for.
inline constexpr TimePs kUnlimited = INT64_MAX;

}  // namespace orrery::graph
