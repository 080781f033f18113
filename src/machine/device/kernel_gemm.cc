#include "machine/device/kernel_gemm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace orrery::machine {
namespace {

struct Tile {
  double rows, columns;
};
// The shapes that cuBLAS and rocBLAS have kernels for. The short side of C comes first: only the small tiles are not
// symmetric.
constexpr std::array kTiles = {Tile{16, 64},   Tile{32, 64},   Tile{64, 64},  Tile{64, 128},
                               Tile{128, 64},  Tile{64, 256},  Tile{256, 64}, Tile{128, 128},
                               Tile{128, 192}, Tile{128, 256}, Tile{256, 128}};
constexpr std::array kSplits = {1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0};

// The shape of the formula, the same for every device: none of these was fitted to one.
constexpr double kCorner = 4.4;         // the p of the header
constexpr double kStepOfK = 64;         // a tile advances along k in steps of this many elements
constexpr double kShortestSplit = 128;  // parts of k below this are not worth a reduction
constexpr double kReadAgain = 0.25;  // of an operand, per wave's width that it is passed over: the rest hits the cache
constexpr double kPartialSumBytes =
    1.12;                             // per element and part: 4 bytes, of which 0.28 go to memory and not to the cache
constexpr double kTilesInFlight = 2;  // per compute unit
constexpr double kTilesToSaturate = 1.3;  // per compute unit, for the full memory bandwidth
constexpr double kMostThrottle = 4;       // e-folds: the power limit is reached

/// A shape with its short side first.
struct Product {
  const Device& device;
  const GemmConstants& constants;
  const GemmRun& run;
  double m, n, k, batch;
  double element_bytes, output_bytes, peak, units, cache_bytes_per_s;
};

double math_seconds(const Product& p, Tile tile, double split, double tiles) {
  const GemmConstants& c = p.constants;
  const double wave = tiles / p.units;
  const double waves = wave <= 1 ? 1 : wave + c.wave_share * (std::ceil(wave) - wave);
  const double efficiency = c.tile_efficiency / (1 + c.tile_edge * (1 / tile.rows + 1 / tile.columns));
  const double depth = std::ceil(p.k / split / kStepOfK) * kStepOfK + c.pipeline_fill;
  const double seconds = waves * 2 * tile.rows * tile.columns * depth / (p.peak / p.units * efficiency);
  if (!p.run.power_throttled || c.throttle_from_gflop <= 0) return seconds;
  const double e_folds = std::log(2 * p.m * p.n * p.k * p.batch / (c.throttle_from_gflop * 1e9));
  return seconds * (1 + c.throttle_per_e_fold * std::clamp(e_folds, 0.0, kMostThrottle));
}

double memory_seconds(const Product& p, Tile tile, double split, double tiles) {
  const GemmConstants& c = p.constants;
  const double a = p.m * p.k * p.element_bytes * p.batch;
  const double b = p.k * p.n * p.element_bytes * p.batch;
  const double wave_side = std::sqrt(p.units * tile.rows * tile.columns);  // of the square of C that one wave covers
  const double half_cache = p.device.cache_bytes() / 2;
  const double passes_a = b > half_cache ? 1 + kReadAgain * std::max(p.n / wave_side - 1, 0.0) : 1;
  const double passes_b = a > half_cache ? 1 + kReadAgain * std::max(p.m / wave_side - 1, 0.0) : 1;
  double bytes = a * passes_a + b * passes_b + p.m * p.n * p.output_bytes * p.batch;
  if (split > 1) bytes += kPartialSumBytes * split * p.m * p.n * p.batch;
  if (p.run.cold_cache) bytes += c.dirty_share * std::min(a + b, c.dirty_limit_mb * 1e6);
  const double busy = std::min(1.0, std::min(tiles, kTilesInFlight * p.units) / (kTilesToSaturate * p.units));
  const double bandwidth = p.device.memory_bytes_per_s() * c.memory_share;
  if (p.run.warm) return p.run.warm->seconds(bytes, p.device.cache_bytes(), bandwidth) / busy;
  return bytes / (bandwidth * busy);
}

/// Takes the place of `best` if it is faster. The sum of the parts is at least the largest of them, and powers are what
/// takes the time here.
void try_cut(const Product& p, Tile tile, double split, GemmChoice& best) {
  const double tiles = std::ceil(p.m / tile.rows) * std::ceil(p.n / tile.columns) * p.batch * split;
  const double math = math_seconds(p, tile, split, tiles);
  const double memory = memory_seconds(p, tile, split, tiles);
  const double cache = tiles * (tile.rows + tile.columns) * std::ceil(p.k / split) * p.element_bytes /
                       (p.cache_bytes_per_s * p.run.clock_share);
  const double reduction = split > 1 ? p.constants.split_us * 1e-6 : 0;
  if (std::max({math, memory, cache}) + reduction >= best.seconds) return;
  const double together =
      std::pow(std::pow(math, kCorner) + std::pow(memory, kCorner) + std::pow(cache, kCorner), 1 / kCorner);
  if (together + reduction >= best.seconds) return;
  best = {tile.rows, tile.columns, split, tiles, together + reduction, math, memory, cache};
}

}  // namespace

GemmChoice choose_gemm(const Device& device, const GemmConstants& constants, const GemmShape& shape,
                       const GemmRun& run) {
  const double bytes = bytes_of(shape.type);
  const Product product{
      .device = device,
      .constants = constants,
      .run = run,
      .m = std::min(shape.m, shape.n),
      .n = std::max(shape.m, shape.n),
      .k = shape.k,
      .batch = shape.batch,
      .element_bytes = bytes,
      .output_bytes = shape.output_bytes > 0 ? shape.output_bytes : bytes,
      .peak = device.peak_flops(shape.type) * run.clock_share,
      .units = static_cast<double>(device.compute_unit_count),
      .cache_bytes_per_s = run.cache_bytes_per_s > 0 ? run.cache_bytes_per_s : device.cache_bytes_per_s()};
  GemmChoice best{.seconds = std::numeric_limits<double>::infinity()};
  for (const Tile tile : kTiles) {
    for (const double split : kSplits) {
      if (split > 1 && shape.k / split < kShortestSplit) continue;
      try_cut(product, tile, split, best);
    }
  }
  best.seconds += run.floor_s;
  return best;
}

double gemm_seconds(const Device& device, const GemmShape& shape, const GemmRun& run) {
  return choose_gemm(device, device.gemm, shape, run).seconds;
}

GemmRun alone(const Device& device) { return {.floor_s = device.gemm.event_floor_us * 1e-6, .cold_cache = true}; }
GemmRun in_stream(const Device& device) { return {.floor_s = device.gemm.stream_floor_us * 1e-6}; }

}  // namespace orrery::machine
