// Which lane of one run is which of another, among lanes that are for the same thing.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace orrery::analyze {

/// What the lane of a run has on it: the classes of its pieces, in any order.
using LaneClasses = std::span<const std::uint32_t>;

/// Pairs of places, ascending in both; lanes come in the order of their first use. As many on both sides: the n-th goes
/// with the n-th. Where one run has more of them, those go together that have most pieces in common, so that a new
/// stream does not shift all that come behind it. Swapping a and b swaps the pairs.
std::vector<std::pair<std::uint32_t, std::uint32_t>> pair_lanes(std::span<const LaneClasses> a,
                                                                std::span<const LaneClasses> b);

}  // namespace orrery::analyze
