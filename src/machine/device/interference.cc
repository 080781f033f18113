#include "machine/device/interference.h"

#include <algorithm>
#include <cmath>

#include "machine/device/tile_rounds.h"

namespace orrery::machine {
namespace {

constexpr double kReached = 0.85;          // of the memory's bandwidth, by a product
constexpr double kRoundCorner = 3;         // of the p-norm of computing and memory
constexpr double kLaunchSeconds = 1.5e-6;  // what a neighbour does not slow down

double share_moved(const Device& device, const Neighbour& neighbour) {
  return neighbour.gb_per_s * 1e9 / device.memory_bytes_per_s();
}

std::int64_t taken_units(const Device& device, const Neighbour& neighbour) {
  const std::int64_t most = std::max<std::int64_t>(device.compute_unit_count - 1, 0);
  return std::llround(std::clamp(neighbour.units, 0.0, static_cast<double>(most)));
}

}  // namespace

double slowdown(const Device& device, const Sensitivity& sensitivity, const Neighbour& neighbour) {
  const auto units = static_cast<double>(device.compute_unit_count);
  const double left = std::max(units - neighbour.units, 1.0);
  const double lost_units = neighbour.units > 0 ? std::max(units / left - 1, 0.0) : 0;
  return (1 + sensitivity.by_units * lost_units) * (1 + sensitivity.by_memory * share_moved(device, neighbour));
}

double product_slowdown(const Device& device, const GemmShape& shape, const Neighbour& neighbour) {
  const TilePlan plan = tile_plan(device, shape);
  const std::int64_t taken = taken_units(device, neighbour), units = device.compute_unit_count;
  const std::int64_t slots = plan.is_clustered ? free_pairs(units, taken) : units - taken;
  const double elements = shape.m * shape.k + shape.k * shape.n + shape.m * shape.n;
  const double memory = elements * shape.batch * bytes_of(shape.type) / (device.memory_bytes_per_s() * kReached);
  const double computing = static_cast<double>(plan.rounds()) * plan.part_seconds;
  const double alone =
      kLaunchSeconds + std::pow(std::pow(computing, kRoundCorner) + std::pow(memory, kRoundCorner), 1 / kRoundCorner);
  // Tiles of a round that came too late run almost by themselves: memory does not hold them up.
  const auto more_rounds = static_cast<double>(rounds_beside(plan, slots) - plan.rounds());
  const double memory_busy = std::min(memory / alone, 1.0);
  return (1 + more_rounds * plan.part_seconds / alone) * (1 + memory_busy * share_moved(device, neighbour));
}

double slowdown_beside_exchanges(const Device& device, double exchange_units) {
  // What a link brings is written to memory, and what it takes away is read.
  const Neighbour carriers{.units = exchange_units, .gb_per_s = 2 * device.scale_up_gb_per_s};
  return std::max(slowdown(device, {.by_units = kMixBeside.by_units}, carriers),
                  slowdown(device, {.by_memory = kMixBeside.by_memory}, carriers));
}

}  // namespace orrery::machine
