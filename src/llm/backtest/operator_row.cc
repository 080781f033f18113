#include "llm/backtest/operator_row.h"

#include <algorithm>
#include <vector>

#include "base/numbers.h"
#include "llm/kernels/kernel_list.h"
#include "machine/device/kernel_gemm.h"

namespace orrery::llm {
namespace {

constexpr double kVectorTileRows = 64;

/// The whole numbers behind `key`, with one of `separators` between them.
std::vector<double> numbers_behind(const std::string& notes, std::string_view key, std::string_view separators) {
  std::vector<double> numbers;
  const std::size_t at = notes.find(key);
  if (at == std::string::npos) return numbers;
  std::string_view rest = std::string_view(notes).substr(at + key.size());
  for (std::int64_t number = 0; take_number(rest, number) && number >= 1;) {
    numbers.push_back(static_cast<double>(number));
    if (rest.empty() || separators.find(rest.front()) == std::string_view::npos) break;
    rest.remove_prefix(1);
  }
  return numbers;
}

double product_seconds(const MeasuringMethod& method, const machine::Device& device, double m, double n, double k) {
  if (n == 1 && method.vector_ns_per_k > 0) return vector_product_seconds(method, device, m, k);
  const machine::GemmRun run{.floor_s = (method.floor_us > 0 ? method.floor_us : device.gemm.event_floor_us) * 1e-6,
                             .cold_cache = method.cold_cache,
                             .clock_share = method.clock_share,
                             .power_throttled = method.power_throttled};
  double added_us = method.added_us;
  for (const MethodDevice& one : method.devices) {
    if (one.device == device.name) added_us = one.added_us;
  }
  return machine::gemm_seconds(device, {.m = m, .n = n, .k = k}, run) + added_us * 1e-6;
}

double elementwise_method_seconds(const MeasuringMethod& method, const machine::Device& device, std::string_view kernel,
                                  double elements) {
  const double bytes = 2 * kElementBytes * elements;
  for (const MethodKernel& one : method.kernels) {
    if (one.device == device.name && one.kernel == kernel)
      return one.floor_us * 1e-6 + bytes / (one.bandwidth_gb_per_s * 1e9);
  }
  return method.added_us * 1e-6 + bytes / (device.elementwise.add * device.memory_bytes_per_s());
}

}  // namespace

double vector_product_seconds(const MeasuringMethod& method, const machine::Device& device, double rows, double k) {
  const double waves = rows / kVectorTileRows / static_cast<double>(device.compute_unit_count);
  const double latency = k * method.vector_ns_per_k * 1e-9 * (1 + method.vector_wave_share * waves);
  const double memory = kElementBytes * rows * k / (device.memory_bytes_per_s() * device.gemm.memory_share);
  return method.floor_us * 1e-6 + std::max(latency, memory);
}

std::optional<double> operator_value(const MeasuringMethod& method, const machine::Device& device,
                                     const BacktestRow& row) {
  const std::vector<double> product = numbers_behind(row.notes, "M,K,N=", ",");
  if (product.size() >= 3) return product_seconds(method, device, product[0], product[2], product[1]) * 1e3;
  const std::vector<double> extents = numbers_behind(row.notes, "dims=", "x");
  if (extents.empty()) return std::nullopt;
  const double elements = extents[0] * (extents.size() > 1 ? extents[1] : 1);
  return elements / elementwise_method_seconds(method, device, row.model, elements) * 1e-9;
}

}  // namespace orrery::llm
