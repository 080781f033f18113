// How the ranks of a group lie in the dimensions of a machine: so many along the innermost, so many of those along the
// next, …
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "machine/topology/network.h"

namespace orrery::simulate {

/// `ranks` ascend and are distinct. The sizes are those of the dimensions in which they differ, innermost first, at
/// least 2 each; their product is the number of ranks, and rank number i of the group has the coordinates i % sizes[0],
/// i / sizes[0] % sizes[1], … An Error if the group is not such a block, because one node holds more of its ranks than
/// another. O(ranks * dimensions).
Result<std::vector<std::size_t>> dimension_levels(std::span<const std::uint32_t> ranks,
                                                  const machine::Network& network);

/// Whether the ranks, in any order, are all inside one node: see is_inside_node(). O(ranks * dimensions).
bool lies_inside_node(std::span<const std::uint32_t> ranks, const machine::Network& network);

/// Channels: the same pattern several times over the places (nodes) that a group has along the outermost dimension in
/// which it extends, each time entering the places at another rank, so that all their ports are used. What one channel
/// alone moves through one port of a place, several move through as many.
struct Channels {
  std::size_t ranks_per_place = 1;
  std::size_t count = 1;  ///< at most one per rank of a place

  /// The number, within a place, of the rank at which a channel enters.
  [[nodiscard]] std::size_t entry(std::size_t channel) const { return channel * ranks_per_place / count; }
};

/// One channel per rank of a place, as long as channels times ranks stays below 2^20; one if the group lies in one
/// dimension, or unevenly.
Channels channels_over_places(std::span<const std::uint32_t> ranks, const machine::Network& network);

}  // namespace orrery::simulate
