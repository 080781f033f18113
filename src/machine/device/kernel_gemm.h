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

#include "machine/device/device.h"

namespace orrery::machine {

struct GemmShape {
  double m = 0, n = 0, k = 0;
  double batch = 1;
  DataType type = DataType::bf16;
};

/// How the product is run and measured.
struct GemmRun {
  double floor_s = 0;       ///< of the shortest kernel, in the way that time is taken
  bool cold_cache = false;  ///< the cache is full of dirty lines, which are written back first
  double clock_share = 1;   ///< of the usual clock: what a profiler locks it to
  bool power_throttled = true;
};

/// Seconds, symmetric in m and n. Every extent must be at least 1.
double gemm_seconds(const Device& device, const GemmShape& shape, const GemmRun& run);

/// As stand-alone benchmarks take the time: by events, with a cold cache.
GemmRun alone(const Device& device);
/// Inside a stream or graph of kernels.
GemmRun in_stream(const Device& device);

}  // namespace orrery::machine
