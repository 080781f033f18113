#include "llm/steps/standalone_shares.h"

namespace orrery::llm {

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

KernelDevice kernel_device(const std::vector<machine::Device>& known, machine::Device device) {
  if (device.standalone) return {std::move(device)};
  const machine::Device* source = nullptr;
  for (const machine::Device& one : known) {
    if (!one.standalone) continue;
    if (one.generation == device.generation) {
      source = &one;
      break;
    }
    if (source == nullptr) source = &one;
  }
  if (source == nullptr) return {std::move(device)};
  device.standalone = scaled_kernels(*source, device);
  return {std::move(device), source->name};
}

}  // namespace orrery::llm
