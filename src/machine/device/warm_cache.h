// A kernel that is timed over and over on the same buffers: what fits the cache comes from there.
#pragma once

namespace orrery::machine {

/// Of all bytes a share x^6 / (1 + x^6) misses, with x = bytes / (cache_share of the cache): a step, rounded because
/// not all lines of a buffer that nearly fits are evicted.
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

}  // namespace orrery::machine
