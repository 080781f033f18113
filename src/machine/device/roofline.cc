#include "machine/device/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace orrery::machine {

std::optional<TimePs> time_under(const Ceiling& ceiling) {
  if (ceiling.amount == 0) return 0;  // also where the rate is not known: 0 / 0 would be no number
  const double ps =
      std::round(static_cast<double>(ceiling.amount) * static_cast<double>(kPsPerSecond) / ceiling.per_second);
  if (!(ps <= static_cast<double>(kMaxRooflinePs))) return std::nullopt;
  return static_cast<TimePs>(ps);
}

std::optional<TimePs> roofline_time(std::span<const Ceiling> ceilings) {
  TimePs longest = 0;
  for (const Ceiling& ceiling : ceilings) {
    const std::optional<TimePs> time = time_under(ceiling);
    if (!time) return std::nullopt;
    longest = std::max(longest, *time);
  }
  return longest;
}

Result<DeviceRates> device_rates(const Machine& machine, DataType type) {
  const Devices& devices = machine.devices;
  // Nearly all operations of a step are matrix products: where there are units for them, those set the pace.
  const std::optional<double> peak =
      devices.matrix_peak_tflops[type] ? devices.matrix_peak_tflops[type] : devices.vector_peak_tflops[type];
  const std::string_view name = kDataTypeNames[static_cast<std::size_t>(type)];
  if (!peak)
    return Error{fmt::format("the machine '{}' has no peak rate for {}", machine.name, name),
                 {},
                 Error::kNoOffset,
                 "add it under matrix_peak_tflops"};
  DeviceRates rates;
  rates.operations_per_second = *peak * 1e12;
  for (const MemoryLevel& level : devices.memory)
    rates.level_bytes_per_second.push_back(level.bandwidth_gb_per_s.value_or(0) * 1e9);
  if (rates.level_bytes_per_second.empty() || rates.level_bytes_per_second[0] <= 0) {
    return Error{fmt::format("the machine '{}' has no memory bandwidth", machine.name),
                 {},
                 Error::kNoOffset,
                 "add bandwidth_gb_per_s to devices.memory"};
  }
  rates.launch_latency_ps = std::llround(devices.launch_latency_us.value_or(0) * static_cast<double>(kPsPerUs));
  return rates;
}

double astra_roofline_ns(std::int64_t operations, std::int64_t bytes, double memory_gb_per_s, double peak_tflops) {
  const auto work = static_cast<double>(operations);
  const double intensity = work / static_cast<double>(bytes);
  const double attainable = std::min(memory_gb_per_s * 1e9 * intensity, peak_tflops * 1e12);
  return operations == 0 ? 0 : work / attainable * 1e9;  // no work has no intensity: 0 / 0
}

}  // namespace orrery::machine
