// How long a matrix product takes: C = A B with A of m x k and B of k x n, `batch` of them in one kernel.
//
// The library cuts C into tiles of tm x tn and may split k into s parts; every cut is tried and the best taken, as the
// library's heuristics do:
//
// - tiles = ceil(m/tm) ceil(n/tn) batch s, and w = tiles / compute units.
// - waves = w if w <= 1 is full, else w + q (ceil w - w).
// - t_math = waves 2 tm tn (k/s + fill) / (peak / units * e), with e = e0 / (1 + edge (1/tm + 1/tn)), times the
//   slowdown by power.
// - t_mem = (A + B + C, operands read again where the other does not stay in the cache) / bandwidth.
// - t_l2 = tiles (tm + tn) k/s element bytes / cache bandwidth.
// - t = floor + (t_math^p + t_mem^p + t_l2^p)^(1/p), p = 4.4: a roofline whose corner is round, since the parts do not
//   overlap perfectly.
//
// Seconds are doubles here: models add fitted constants, and round once, where a kernel becomes an activity with
// picoseconds.
#pragma once

#include <cstdint>
#include <optional>

#include "machine/device/device.h"

namespace orrery::machine {

struct GemmShape {
  double m = 0, n = 0, k = 0;
  double batch = 1;
  DataType type = DataType::bf16;
  double output_bytes = 0;  ///< of an element of C; 0: as of the operands
};

/// A kernel that is timed over and over on the same buffers: what fits the cache comes from there. Of all bytes a share
/// x^6 / (1 + x^6) misses, with x = bytes / (cache_share of the cache): a step, rounded because not all lines of a
/// buffer that nearly fits are evicted.
struct WarmCache {
  double cache_share = 0;
  double bytes_per_s = 0;  ///< of what hits

  [[nodiscard]] double seconds(double bytes, double cache_bytes, double memory_bytes_per_s) const {
    const double x = bytes / (cache_share * cache_bytes);
    const double cube = x * x * x;
    const double miss = cube * cube / (1 + cube * cube);
    return bytes * (miss / memory_bytes_per_s + (1 - miss) / bytes_per_s);
  }
};

/// How the product is run and measured.
struct GemmRun {
  double floor_s = 0;       ///< of the shortest kernel, in the way that time is taken
  bool cold_cache = false;  ///< the cache is full of dirty lines, which are written back first
  double clock_share = 1;   ///< of the usual clock: what a profiler locks it to
  bool power_throttled = true;
  std::optional<WarmCache> warm = {};
  double cache_bytes_per_s = 0;  ///< what tiles are fed with; 0: the device's
};

/// The cut that the library is taken to choose.
struct GemmChoice {
  double tile_rows = 0, tile_columns = 0;
  double split = 1;   ///< of k
  double blocks = 0;  ///< of the grid: tiles x parts of k, each one thread block
  double seconds = 0;
  double math_s = 0, memory_s = 0, cache_s = 0;  ///< the parts of the formula above, of which the largest binds
};

/// Symmetric in m and n. Every extent must be at least 1. `constants` stand in for those of the device.
GemmChoice choose_gemm(const Device& device, const GemmConstants& constants, const GemmShape& shape,
                       const GemmRun& run);
/// Seconds of that choice.
double gemm_seconds(const Device& device, const GemmShape& shape, const GemmRun& run);

/// As stand-alone benchmarks take the time: by events, with a cold cache.
GemmRun alone(const Device& device);
/// Inside a stream or graph of kernels.
GemmRun in_stream(const Device& device);

}  // namespace orrery::machine
