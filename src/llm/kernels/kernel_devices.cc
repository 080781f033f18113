#include "llm/kernels/kernel_devices.h"

#include <filesystem>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "llm/kernels/relative.h"

namespace orrery::llm {

Status WarmTables::read(machine::WarmKind kind) {
  if (owner_.name.empty() || read_.contains(kind)) return {};
  const std::string path = (std::filesystem::path(owner_.tables_folder) / machine::table_file(kind)).string();
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    read_[kind] = {};
    return {};
  }
  const auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  auto table = machine::parse_kernel_table(*text, path, owner_.name, kind);
  if (!table) return table.error();
  read_[kind] = machine::borrowed(std::move(*table), owner_, device_, kinship_);
  return {};
}

const machine::FormatTable* WarmTables::find(const machine::WarmKernel& kernel, std::string_view library) const {
  const auto found = read_.find(kernel.kind);
  return found == read_.end() ? nullptr : found->second.find(kernel, library);
}

machine::StandaloneKernels scaled_kernels(const machine::Device& from, const machine::Device& to) {
  machine::StandaloneKernels kernels = *from.standalone;
  const double memory = to.memory_bytes_per_s() / from.memory_bytes_per_s();
  for (machine::StreamingKernel* kernel : {&kernels.add, &kernels.gelu, &kernels.device_copy})
    kernel->bandwidth_gb_per_s *= memory;
  for (machine::NamedKernel& named : kernels.kinds) named.kernel.bandwidth_gb_per_s *= memory;
  for (machine::RowAlgorithm& algorithm : kernels.softmax.algorithms) algorithm.bandwidth_gb_per_s *= memory;
  // All units together keep their share of the bandwidth: with more of them, each has less of it.
  const double units = static_cast<double>(to.compute_unit_count) / static_cast<double>(from.compute_unit_count);
  kernels.norm.column_ns *= units / memory;
  // Where a host link is not known, copies are as on the other device: both are PCI Express as a rule.
  if (to.host_link_gb_per_s && from.host_link_gb_per_s)
    kernels.host_copy.bandwidth_gb_per_s *= *to.host_link_gb_per_s / *from.host_link_gb_per_s;
  kernels.estimated = {"add", "gelu", "softmax", "norm", "host_copy", "device_copy", "attention", "block"};
  return kernels;
}

namespace {

WarmTables tables_for(const std::vector<machine::Device>& known, const machine::Device& device) {
  if (!device.tables_folder.empty()) return {device, device, machine::Kinship::itself};
  const machine::Device* relative =
      nearest_relative(known, device, [](const machine::Device& one) { return !one.tables_folder.empty(); });
  return relative == nullptr ? WarmTables() : WarmTables(*relative, device, kinship(*relative, device));
}

}  // namespace

KernelDevice kernel_device(const std::vector<machine::Device>& known, machine::Device device) {
  KernelDevice on{.device = std::move(device)};
  on.warm = tables_for(known, on.device);
  if (on.device.standalone) return on;
  const auto timed = [](const machine::Device& one) { return one.standalone.has_value(); };
  const machine::Device* source = nearest_relative(known, on.device, timed);
  if (source == nullptr) return on;
  on.device.standalone = scaled_kernels(*source, on.device);
  on.shares_of = source->name;
  return on;
}

Result<KernelDevice*> KernelDevices::called(const std::string& name) {
  if (name.empty()) return &usual_;
  if (const auto found = named_.find(name); found != named_.end()) return &found->second;
  if (catalog_ == nullptr) return Error{"there is no device called '" + name + "'"};
  const auto device = device_called(*catalog_, name);
  if (!device) return device.error();
  return &named_.emplace(name, kernel_device(catalog_->devices, **device)).first->second;
}

}  // namespace orrery::llm
