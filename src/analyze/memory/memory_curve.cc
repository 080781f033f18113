#include "analyze/memory/memory_curve.h"

#include <algorithm>
#include <numeric>

namespace orrery::analyze {
namespace {

std::int64_t signed_size(const DeviceMemory& memory, const MemoryChange& change) {
  const std::int64_t size = memory.allocations[change.allocation].size;
  return change.is_end ? -size : size;
}

/// Points of the curve, and how many changes lead to each.
std::vector<std::size_t> find_points(const DeviceMemory& memory, MemoryCurve& curve) {
  std::vector<std::size_t> changes_to(curve.points.size());
  std::size_t next = 0;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const std::int64_t begin = curve.begin_us + static_cast<std::int64_t>(i) * curve.interval_us;
    // What holds when the interval begins belongs to it.
    CurvePoint most{begin, bytes};
    changes_to[i] = next;
    for (; next < memory.changes.size() && memory.changes[next].time_us - begin < curve.interval_us; ++next) {
      bytes += signed_size(memory, memory.changes[next]);
      if (bytes <= most.bytes) continue;
      most = {memory.changes[next].time_us, bytes};
      changes_to[i] = next + 1;
    }
    curve.points[i] = most;
  }
  return changes_to;
}

/// The band of each group; fills the names.
std::vector<std::uint32_t> choose_bands(const DeviceMemory& memory, const MemoryGroups& groups, std::size_t most_bands,
                                        MemoryCurve& curve) {
  std::vector<std::int64_t> at_peak(groups.names.size(), 0);
  for (const std::uint32_t a : memory.at_peak) at_peak[groups.of_allocation[a]] += memory.allocations[a].size;
  std::vector<std::uint32_t> order(groups.names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return at_peak[a] != at_peak[b] ? at_peak[a] > at_peak[b] : groups.names[a] < groups.names[b];
  });
  std::vector<std::uint32_t> band_of(groups.names.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t band = std::min(i, most_bands);
    if (band == curve.bands.size()) curve.bands.push_back(band < most_bands ? groups.names[order[i]] : "(others)");
    band_of[order[i]] = static_cast<std::uint32_t>(band);
  }
  return band_of;
}

}  // namespace

MemoryCurve memory_curve(const DeviceMemory& memory, const MemoryGroups& groups, std::size_t intervals,
                         std::size_t most_bands) {
  MemoryCurve curve;
  if (memory.history == History::none || intervals == 0) return curve;
  curve.begin_us = memory.first_us;
  const std::uint64_t span = static_cast<std::uint64_t>(memory.last_us) - static_cast<std::uint64_t>(memory.first_us);
  curve.interval_us = static_cast<std::int64_t>(span / intervals + 1);
  curve.points.resize(static_cast<std::size_t>(span / static_cast<std::uint64_t>(curve.interval_us)) + 1);
  const std::vector<std::size_t> changes_to = find_points(memory, curve);
  const std::vector<std::uint32_t> band_of = choose_bands(memory, groups, most_bands, curve);
  std::vector<std::int64_t> now(curve.bands.size(), 0);
  std::size_t next = 0;
  curve.of_bands.reserve(curve.points.size() * curve.bands.size());
  for (const std::size_t changes : changes_to) {
    for (; next < changes; ++next) {
      const MemoryChange& change = memory.changes[next];
      now[band_of[groups.of_allocation[change.allocation]]] += signed_size(memory, change);
    }
    curve.of_bands.insert(curve.of_bands.end(), now.begin(), now.end());
  }
  return curve;
}

}  // namespace orrery::analyze
