#include "llm/kernels/kernel_kinds.h"

#include <algorithm>

#include "machine/device/kernel_standalone.h"

namespace orrery::llm {

std::span<const KernelKind> kernel_kinds() {
  static const std::vector<KernelKind> kinds = [] {
    std::vector<KernelKind> all = computed_kinds();
    const std::vector<KernelKind> streaming = elementwise_kinds();
    all.insert(all.end(), streaming.begin(), streaming.end());
    return all;
  }();
  return kinds;
}

const KernelKind* find_kernel_kind(std::string_view name) {
  const auto kinds = kernel_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const KernelKind& one) { return one.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

bool has_format(const KernelKind& kind, const KernelSizes& sizes, const machine::Device& device) {
  if (kind.formats == Formats::any) return true;
  if (!sizes.type) return false;
  const double bytes = sizes.element_bytes();
  switch (kind.formats) {
    case Formats::any: break;
    case Formats::rated: return device.peak_flops(*sizes.type) > 0;
    case Formats::sized: return bytes >= 1;
    case Formats::two_byte: return bytes == 2;
    case Formats::optimizer: return bytes == 2 || sizes.type == machine::DataType::fp32;
  }
  return true;
}

bool has_sizes(const KernelKind& kind, const KernelSizes& sizes) {
  return std::none_of(kind.needs.begin(), kind.needs.end(), [&](const auto size) { return sizes.*size == 0; });
}

bool was_timed(const KernelKind& kind, const machine::Device& device, KernelRun run) {
  if (run == KernelRun::step || kind.timed) return true;
  return device.standalone && device.standalone->find(kind.name) != nullptr;
}

machine::StreamingKernel alone_kernel(const KernelKind& kind, const machine::Device& device, const KernelSizes& sizes) {
  const machine::StandaloneKernels& kernels = *device.standalone;
  if (const machine::StreamingKernel* timed = kernels.find(kind.name)) return *timed;
  // Nobody timed it: the bandwidth of what is most like it.
  switch (kind.like) {
    case AloneLike::add: return kernels.add;
    case AloneLike::gelu: return kernels.gelu;
    case AloneLike::copy: return kernels.device_copy;
    case AloneLike::step: break;
  }
  return {kernels.add.floor_us, device.elementwise.*kind.share(sizes) * device.memory_bytes_per_s() * 1e-9};
}

double kernel_seconds(const KernelKind& kind, const machine::Device& device, const KernelSizes& sizes) {
  if (kind.seconds != nullptr) return kind.seconds(device, sizes);
  const Traffic traffic = kind.traffic(sizes);
  if (sizes.run == KernelRun::step) return elementwise_seconds(device, kind.share(sizes), traffic.bytes);
  const machine::StreamingKernel kernel = alone_kernel(kind, device, sizes);
  // What was timed holds whatever bound it; what is only like something else may be bound by its arithmetic instead.
  if (was_timed(kind, device, sizes.run)) return machine::streaming_seconds(kernel, traffic.bytes);
  return machine::elementwise_alone_seconds(device, kernel, traffic.bytes, traffic.operations);
}

}  // namespace orrery::llm
