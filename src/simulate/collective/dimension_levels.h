// How the ranks of a group lie in the dimensions of a machine: so many along the innermost, so many of those along the next, …
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "machine/network.h"

namespace orrery::simulate {

/// `ranks` ascend and are distinct. The sizes are those of the dimensions in which they differ, innermost first, at least 2 each; their
/// product is the number of ranks, and rank number i of the group has the coordinates i % sizes[0], i / sizes[0] % sizes[1], …
/// An Error if the group is not such a block, because one node holds more of its ranks than another. O(ranks * dimensions).
Result<std::vector<std::size_t>> dimension_levels(std::span<const std::uint32_t> ranks, const machine::Network& network);

}  // namespace orrery::simulate
