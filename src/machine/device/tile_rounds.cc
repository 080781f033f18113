#include "machine/device/tile_rounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace orrery::machine {
namespace {

struct Cut {
  double rows, columns;
};
// By kind of kernel; both ways round. Those of clusters by the names of the kernels that cuBLAS 13 takes.
constexpr std::array kClusteredTiles = {Cut{64, 8},    Cut{64, 16},   Cut{64, 32},   Cut{64, 64},  Cut{64, 96},
                                        Cut{64, 128},  Cut{64, 160},  Cut{64, 320},  Cut{96, 128}, Cut{128, 128},
                                        Cut{128, 192}, Cut{128, 256}, Cut{128, 320}, Cut{192, 192}};
constexpr std::array kPlainTiles = {Cut{64, 64}, Cut{64, 128}, Cut{128, 128}, Cut{128, 256}};
constexpr std::array kPlainSplits = {1.0, 2.0, 4.0};  // of k, where tiles alone do not fill the device

constexpr double kTileEdge = 40;         // elements: as GemmConstants::tile_edge; only tells tiles from each other
constexpr double kSustained = 1.06;      // of the time at the peak rate, in the loop along k
constexpr double kTileSeconds = 1.5e-6;  // before and after that loop

// How units stand together on a Hopper device, as probed: in eight groups, of one of which only a half is connected;
// the other half are pairs that stand alone, and are given out first.
constexpr std::size_t kGroups = 8;

// A kernel of just over one round: of clusters that have one tile instead of two, so many end early enough to make room
// for one that waits, and so many can be had before those that wait need a second turn. Measured.
constexpr double kMakeRoom = 1.0 / 3;
constexpr double kOneTurn = 0.8;

bool has_clusters(const Device& device, DataType type) {
  const bool new_enough = device.generation == "hopper" || device.generation.starts_with("blackwell");
  return new_enough && device.matrix_peak_tflops[type == DataType::fp16 ? DataType::bf16 : type].has_value();
}

double parts_of(const GemmShape& shape, Cut tile, bool is_clustered) {
  const double down = std::ceil(shape.m / tile.rows), across = std::ceil(shape.n / tile.columns);
  if (!is_clustered) return down * across * shape.batch;
  // A cluster spans two tiles, down or across, whichever leaves less over.
  return std::min(std::ceil(down / 2) * across, down * std::ceil(across / 2)) * shape.batch;
}

/// The better of the best so far and this tile.
void consider(const Device& device, const GemmShape& shape, Cut tile, double split, double& least, TilePlan& best) {
  TilePlan plan = best;
  plan.parts = std::llround(std::min(parts_of(shape, tile, plan.is_clustered) * split, 1e15));
  const double unit_flops = device.peak_flops(shape.type) / static_cast<double>(device.compute_unit_count);
  const double seconds = 2 * tile.rows * tile.columns * shape.k / split / unit_flops * kSustained;
  plan.part_seconds = seconds + kTileSeconds;
  // Small tiles read more than they compute. Only where all units do so at once, which is what the choice is about.
  const double crowded = seconds * (1 + kTileEdge * (1 / tile.rows + 1 / tile.columns)) + kTileSeconds;
  const double total = static_cast<double>(plan.rounds()) * crowded;
  // Of tiles that take as long, the one that leaves less over.
  if (std::pair(total, plan.parts) < std::pair(least, best.parts)) std::tie(least, best) = std::pair(total, plan);
}

/// Of a kernel with more clusters than fit at once, of which `late` have to wait.
std::int64_t two_rounds(const TilePlan& plan, std::int64_t slots) {
  const std::int64_t late = plan.slots - slots;
  const auto with_one_tile = static_cast<double>(2 * plan.slots - plan.parts);
  if (static_cast<double>(late) <= std::round(kMakeRoom * with_one_tile)) return 2;
  if (static_cast<double>(late) <= kOneTurn * with_one_tile) return 3;
  return std::max<std::int64_t>(4, plan.parts / slots + 1);
}

/// Round by round: clusters that have done their own two tiles take one of the others, or end and make room.
std::int64_t persistent_rounds(const TilePlan& plan, std::int64_t slots) {
  std::int64_t shared = plan.parts - 2 * plan.slots, late = plan.slots - slots;
  std::map<std::int64_t, std::int64_t> free_at = {{2, slots}};  // clusters by the round after which they want work
  std::int64_t last = 0;
  while (!free_at.empty()) {
    const auto [now, clusters] = *free_at.begin();
    free_at.erase(free_at.begin());
    last = now;
    const std::int64_t busy = std::min(clusters, shared);
    const std::int64_t started = std::min(clusters - busy, late);
    shared -= busy;
    late -= started;
    if (busy > 0) free_at[now + 1] += busy;
    if (started > 0) free_at[now + 2] += started;
  }
  return last;
}

}  // namespace

TilePlan tile_plan(const Device& device, const GemmShape& shape) {
  TilePlan best{.is_clustered = has_clusters(device, shape.type)};
  best.slots = std::max<std::int64_t>(device.compute_unit_count / (best.is_clustered ? 2 : 1), 1);
  double least = INFINITY;
  const auto both_ways = [&](Cut tile, double split) {
    consider(device, shape, tile, split, least, best);
    consider(device, shape, {tile.columns, tile.rows}, split, least, best);
  };
  if (best.is_clustered) {
    for (const Cut tile : kClusteredTiles) both_ways(tile, 1);
    return best;
  }
  for (const Cut tile : kPlainTiles) {
    for (const double split : kPlainSplits) both_ways(tile, split);
  }
  return best;
}

std::int64_t free_pairs(std::int64_t units, std::int64_t blocks) {
  const std::int64_t pairs = units / 2;
  std::array<std::int64_t, kGroups> size, taken = {};
  for (std::size_t i = 0; i < kGroups; ++i) size[i] = 2 * ((pairs + static_cast<std::int64_t>(i)) / kGroups);
  const std::int64_t lone = size[0] / 4;  // pairs
  size[0] -= 2 * lone;
  std::int64_t left = std::max<std::int64_t>(std::min(blocks, units) - 2 * lone, 0);
  // One to every pair of a group, and only then the second.
  for (const std::int64_t share : {std::int64_t{2}, std::int64_t{1}}) {
    for (bool is_full = false; left > 0 && !is_full;) {
      is_full = true;
      for (std::size_t i = 0; i < kGroups && left > 0; ++i) {
        if (taken[i] >= size[i] / share) continue;
        ++taken[i], --left;
        is_full = false;
      }
    }
  }
  std::int64_t free = lone - std::min(blocks, lone);
  for (std::size_t i = 0; i < kGroups; ++i) free += (size[i] - taken[i]) / 2;
  return free;
}

std::int64_t rounds_beside(const TilePlan& plan, std::int64_t slots) {
  slots = std::max<std::int64_t>(slots, 1);
  const bool in_order = !plan.is_clustered || plan.parts <= plan.slots;
  if (in_order || slots >= plan.slots) return (plan.parts + slots - 1) / std::min(slots, plan.slots);
  return plan.parts <= 2 * plan.slots ? two_rounds(plan, slots) : persistent_rounds(plan, slots);
}

}  // namespace orrery::machine
