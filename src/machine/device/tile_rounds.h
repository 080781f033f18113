// How many rounds of tiles a matrix product takes when some units of the device are taken: why four blocks of another
// kernel may double its time.
//
// cuBLAS cuts C into tiles and picks the tile that takes least: rounds x time of a tile. From Hopper on two tiles form
// a cluster that needs two neighbouring units, and the kernel is persistent: it launches no more clusters than the
// device has pairs of units. Each cluster has two tiles of its own and then takes what is left of the others, one by
// one. A cluster that finds no pair waits until another is done, with its own tiles. Older kernels launch a block per
// tile.
//
// Which pairs c blocks leave follows from where the hardware puts them: the first into pairs that stand alone, one
// each; then around the groups of units (GPCs), one by one, so that a group with an odd number of blocks leaves one
// unit that has no partner.
//
// Measured on one H200 (PyTorch 2.11, CUDA 13): 106 products of bf16 by up to 36 numbers of blocks; with the tile that
// the kernel's name says, the rounds are right within 1 % of the time.
#pragma once

#include <cstdint>

#include "machine/device/device.h"
#include "machine/device/kernel_gemm.h"

namespace orrery::machine {

/// A product as the library cuts it.
struct TilePlan {
  bool is_clustered = false;  ///< parts are clusters of two tiles, in a persistent kernel
  std::int64_t parts = 0;     ///< tiles, or clusters of two
  std::int64_t slots = 0;     ///< parts that the device runs at once: its units, or pairs of them
  double part_seconds = 0;    ///< of one part, where memory does not hold it up

  [[nodiscard]] std::int64_t rounds() const { return (parts + slots - 1) / slots; }
};

/// The cut that takes least. The device must have a rate for the format, and units.
TilePlan tile_plan(const Device& device, const GemmShape& shape);

/// Pairs of neighbouring units that `blocks` blocks of another kernel leave, one block to a unit.
std::int64_t free_pairs(std::int64_t units, std::int64_t blocks);

/// Rounds until the last tile is done when only `slots` of plan.slots are there; at least 1 is.
std::int64_t rounds_beside(const TilePlan& plan, std::int64_t slots);

}  // namespace orrery::machine
