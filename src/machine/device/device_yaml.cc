#include "machine/device/device_yaml.h"

#include <filesystem>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "machine/device/device_fields.h"
#include "machine/yaml/field_reader.h"
#include "machine/yaml/field_writer.h"

namespace orrery::machine {
namespace {

// Bandwidths may be left out of a Machine, where not every verb needs them; kernels are priced by nothing else.
std::optional<Violation> find_rate_violation(const Device& device) {
  if (device.budgets) return find_budget_violation(*device.budgets);
  if (!device.matrix_peak_tflops[DataType::bf16])
    return Violation{"matrix_peak_tflops", "has no rate for bf16",
                     "devices without bf16 units: write the rate of fp16"};
  if (!device.memory.bandwidth_gb_per_s) return Violation{"memory", "has no bandwidth_gb_per_s"};
  if (!device.cache.bandwidth_gb_per_s) return Violation{"cache", "has no bandwidth_gb_per_s"};
  return std::nullopt;
}

std::optional<Violation> find_device_violation(const Device& device) {
  if (auto found = find_rate_violation(device)) return found;
  // A folder elsewhere would be lost as soon as the file is given to somebody.
  if (device.tables && (device.tables->starts_with('/') || device.tables->find("..") != std::string::npos))
    return Violation{"tables", "must be a folder beside the file, or below"};
  if (device.gemm != GemmConstants{}) {
    if (device.gemm.tile_efficiency <= 0) return Violation{"gemm.tile_efficiency", "must be more than 0"};
    if (device.gemm.memory_share <= 0) return Violation{"gemm.memory_share", "must be more than 0"};
  }
  const bool no_share = device.attention.forward_share <= 0 || device.attention.backward_share <= 0;
  if (device.attention != AttentionConstants{} && no_share)
    return Violation{"attention", "must have shares of more than 0"};
  if (device.standalone && device.standalone->softmax.algorithms.empty())
    return Violation{"standalone.softmax.algorithms", "must have an entry"};
  for (const KernelAccuracy& one : device.accuracy) {
    if (one.low_ratio > one.high_ratio) return Violation{"accuracy", "has an interval that ends before it begins"};
  }
  return std::nullopt;
}

void derive_rates(Device& device) {
  const ChipRates rates = rates_of(*device.budgets);
  device.compute_unit_count = rates.compute_unit_count;
  device.matrix_peak_tflops = rates.matrix_peak_tflops;
  device.vector_peak_tflops = rates.vector_peak_tflops;
  device.memory = rates.memory;
  device.cache = rates.cache;
  device.scale_up_gb_per_s = rates.scale_up_gb_per_s;
  device.scale_up_devices = rates.scale_up_devices;
}

}  // namespace

Result<Device> parse_device(std::string_view yaml, const std::string& file) {
  auto device = read_description<Device>(yaml, file, "the device", "docs/formats/device.md", &find_device_violation);
  if (device && device->budgets) derive_rates(*device);
  return device;
}

Result<Device> read_device(const std::string& path) {
  auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  auto device = parse_device(*text, path);
  if (device && device->tables)
    device->tables_folder = (std::filesystem::path(path).parent_path() / *device->tables).lexically_normal().string();
  return device;
}

std::string to_yaml(const Device& device, const FieldComment& comment) {
  std::string out;
  FieldWriter writer(out, {}, {}, &comment);
  describe(writer, device);
  return out;
}

}  // namespace orrery::machine
