// How much longer a kernel takes beside another one that runs all the while.
//
// A kernel that computes slows down by the units it loses, one that streams by the bandwidth. With c units taken of U,
// and b bytes/s moved by the other of the memory's B:
//
// - attention, norms: (1 + by_units (U/(U - c) - 1)) (1 + by_memory b/B), both shares between 0 and 1
// - add, gelu and their like, which find room on units that are taken as well: 1 + 0.6 b/B
// - products: whole rounds of tiles more (tile_rounds.h), times 1 + b/B for the part of the time that memory is busy
//
// A copy engine takes no units and moves what the host link carries.
//
// Held against 106 products, and attention, norms and streams of bytes, on one H200; constants are rounded.
#pragma once

#include <cstdint>

#include "machine/device/device.h"
#include "machine/device/kernel_gemm.h"

namespace orrery::machine {

/// What runs beside a kernel, throughout.
struct Neighbour {
  double units = 0;     ///< that it occupies: thread blocks, one to a unit; a copy engine has none
  double gb_per_s = 0;  ///< that it moves through the memory
  [[nodiscard]] bool is_there() const { return units > 0 || gb_per_s > 0; }
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

/// How kernels of a kind depend on what a neighbour takes.
struct Sensitivity {
  double by_units = 0;   ///< share of the time that is bound by the number of units
  double by_memory = 0;  ///< per share of the memory's bandwidth that is lost
};
inline constexpr Sensitivity kAttentionBeside = {0.95, 0};
inline constexpr Sensitivity kNormBeside = {0.9, 0.3};
inline constexpr Sensitivity kSoftmaxBeside = {0.2, 0.3};
inline constexpr Sensitivity kStreamBeside = {0, 0.6};
/// Units that an exchange of tokens between experts takes: 20 of a library like DeepSeek's, whose recorded step on an
/// H800 runs products on the other 112 of 132; of NCCL's all-to-all 32, as many as it has channels between pairs, of a
/// block each.
inline constexpr double kForwardingUnits = 20, kAllToAllUnits = 32;
/// Of a mix of kernels whose shapes nobody knows, such as a layer of a step: products, most of all.
inline constexpr Sensitivity kMixBeside = {1, 0.6};

/// Time beside the neighbour over time alone, at least 1. At least one unit is left to the kernel.
double slowdown(const Device& device, const Sensitivity& sensitivity, const Neighbour& neighbour);
/// The same of a matrix product. The device must have a rate for the format.
double product_slowdown(const Device& device, const GemmShape& shape, const Neighbour& neighbour);
/// The same of computing, whatever it is, beside an exchange that a kernel of the device carries out: the larger of
/// what its units cost and what its bytes cost on links at full rate.
double slowdown_beside_exchanges(const Device& device, double exchange_units);

}  // namespace orrery::machine
