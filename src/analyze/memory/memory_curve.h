// Allocated bytes over time, in so few points that they can be drawn, however long the history is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/memory/memory_groups.h"

namespace orrery::analyze {

/// One interval of time at the moment at which most was allocated in it, of several the first.
struct CurvePoint {
  std::int64_t time_us = 0;
  std::int64_t bytes = 0;
};

/// The time of the history in equal intervals. Each keeps its largest value, so that the peak is a point of the curve.
struct MemoryCurve {
  std::int64_t begin_us = 0, interval_us = 1;
  std::vector<CurvePoint> points;      ///< per interval
  std::vector<std::string> bands;      ///< groups with most bytes at the peak, most first; then "(others)", if any are
  std::vector<std::int64_t> of_bands;  ///< points x bands; those of a point add up to its bytes

  [[nodiscard]] std::span<const std::int64_t> bands_at(std::size_t point) const {
    return std::span(of_bands).subspan(point * bands.size(), bands.size());
  }
};

/// At most `intervals` points; none without a history. O(changes of `memory`).
MemoryCurve memory_curve(const DeviceMemory& memory, const MemoryGroups& groups, std::size_t intervals,
                         std::size_t most_bands);

}  // namespace orrery::analyze
