// The fields of a machine description, each said once: reader, writer and checker are visitors of this list.
#pragma once

#include <type_traits>

#include "machine/machine.h"

namespace orrery::machine {

/// Which numbers a field may hold: above `low` (or from it on, when included) up to `high`.
struct Range {
  double low;
  double high;
  bool low_included = false;

  [[nodiscard]] bool holds(double value) const { return (value > low || (low_included && value == low)) && value <= high; }
};

inline constexpr Range kRate = {0, 1e9};
inline constexpr Range kDelay = {0, 1e12, true};
inline constexpr Range kDeviceCount = {1, 1 << 24, true};
inline constexpr Range kDimensionSize = {2, 1 << 24, true};

inline constexpr std::string_view kMachineFormat = "orrery.machine/1";

template <typename T, typename Plain>
concept MaybeConst = std::is_same_v<std::remove_const_t<T>, Plain>;

// A visitor has  text(key, string)  number(key, double or optional<double>, range)  count(key, int64 or optional<int64>, range)
// choice(key, enumerator, names)  rates(key, PeakTflops, range)  object(key, struct)  list(key, vector of structs)  format(key, name).
// std::optional marks what may be left out; rates and lists may always be.

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<MemoryLevel> auto& level) {
  visitor.text("name", level.name);
  visitor.number("capacity_gb", level.capacity_gb, kRate);
  visitor.number("bandwidth_gb_per_s", level.bandwidth_gb_per_s, kRate);
  visitor.number("latency_ns", level.latency_ns, kDelay);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Devices> auto& devices) {
  visitor.count("count", devices.count, kDeviceCount);
  visitor.text("name", devices.name);
  visitor.count("compute_unit_count", devices.compute_unit_count, kDeviceCount);
  visitor.rates("matrix_peak_tflops", devices.matrix_peak_tflops, kRate);
  visitor.rates("vector_peak_tflops", devices.vector_peak_tflops, kRate);
  visitor.number("launch_latency_us", devices.launch_latency_us, kDelay);
  visitor.list("memory", devices.memory);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Dimension> auto& dimension) {
  visitor.text("name", dimension.name);
  visitor.choice("topology", dimension.topology, kTopologyNames);
  visitor.count("size", dimension.size, kDimensionSize);
  visitor.number("bandwidth_gb_per_s", dimension.bandwidth_gb_per_s, kRate);
  visitor.number("latency_ns", dimension.latency_ns, kDelay);
}

template <typename Visitor>
void describe(Visitor& visitor, MaybeConst<Machine> auto& machine) {
  visitor.format("format", kMachineFormat);
  visitor.text("name", machine.name);
  visitor.object("devices", machine.devices);
  visitor.list("network", machine.network);
}

}  // namespace orrery::machine
