// How somebody else timed kernels: what their way of measuring adds. data/benchmarks has one file each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

struct MethodDevice {
  std::string device;
  double added_us = 0;  ///< to every matrix product
};

/// An element-wise kernel: floor + bytes / bandwidth.
struct MethodKernel {
  std::string device;
  std::string kernel;
  double floor_us = 0;
  double bandwidth_gb_per_s = 0;
};

struct MeasuringMethod {
  std::string name;
  double clock_share = 0;  ///< of the usual clock
  double floor_us = 0;     ///< in place of the floor by events; 0: that floor
  bool cold_cache = false;
  bool power_throttled = false;
  double added_us = 0;           ///< to every matrix product on devices that are not listed
  double vector_ns_per_k = 0;    ///< product with a vector: latency along k; 0: priced like any other product
  double vector_wave_share = 0;  ///< growth per wave of tiles
  std::vector<MethodDevice> devices = {};
  std::vector<MethodKernel> kernels = {};
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MethodDevice> auto& value) {
  visitor.text("device", value.device);
  visitor.number("added_us", value.added_us, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MethodKernel> auto& value) {
  visitor.text("device", value.device);
  visitor.text("kernel", value.kernel);
  visitor.number("floor_us", value.floor_us, kConstant);
  visitor.number("bandwidth_gb_per_s", value.bandwidth_gb_per_s, kConstant);
}

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MeasuringMethod> auto& value) {
  visitor.format("format", "orrery.measuring_method/1");
  visitor.text("name", value.name);
  visitor.number("clock_share", value.clock_share, kConstant);
  visitor.number("floor_us", value.floor_us, kConstant);
  visitor.flag("cold_cache", value.cold_cache);
  visitor.flag("power_throttled", value.power_throttled);
  visitor.number("added_us", value.added_us, kConstant);
  visitor.number("vector_ns_per_k", value.vector_ns_per_k, kConstant);
  visitor.number("vector_wave_share", value.vector_wave_share, kConstant);
  visitor.list("devices", value.devices, machine::Required{});
  visitor.list("kernels", value.kernels, machine::Required{});
}

}  // namespace orrery::llm
