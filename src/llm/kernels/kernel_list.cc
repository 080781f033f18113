#include "llm/kernels/kernel_list.h"

#include <cmath>

namespace orrery::llm {

Kernel product(double m, double n, double k, double batch) {
  return {.kind = Kernel::Kind::product, .product = {.m = m, .n = n, .k = k, .batch = batch}};
}
Kernel attention_forward(const machine::AttentionShape& shape) {
  return {.kind = Kernel::Kind::attention_forward, .attention = shape};
}
Kernel attention_backward(const machine::AttentionShape& shape) {
  return {.kind = Kernel::Kind::attention_backward, .attention = shape};
}
Kernel elementwise(ElementwiseRate rate, double bytes) {
  return {.kind = Kernel::Kind::elementwise, .rate = rate, .bytes = bytes};
}

KernelSeconds& KernelSeconds::operator+=(const KernelSeconds& other) {
  products += other.products;
  attention += other.attention;
  elementwise += other.elementwise;
  return *this;
}

KernelSeconds operator*(double count, KernelSeconds seconds) {
  return {count * seconds.products, count * seconds.attention, count * seconds.elementwise};
}

KernelSeconds seconds_of(const machine::Device& device, const std::vector<Kernel>& kernels,
                         const machine::GemmRun& run) {
  KernelSeconds sum;
  for (const Kernel& kernel : kernels) {
    switch (kernel.kind) {
      case Kernel::Kind::product: sum.products += machine::gemm_seconds(device, kernel.product, run); break;
      case Kernel::Kind::attention_forward:
        sum.attention += machine::attention_forward_seconds(device, kernel.attention);
        break;
      case Kernel::Kind::attention_backward:
        sum.attention += machine::attention_backward_seconds(device, kernel.attention);
        break;
      case Kernel::Kind::elementwise: sum.elementwise += elementwise_seconds(device, kernel.rate, kernel.bytes); break;
    }
  }
  return sum;
}

KernelSeconds seconds_of(const machine::Device& device, const std::vector<Kernel>& kernels) {
  return seconds_of(device, kernels, machine::in_stream(device));
}

// A roofline of bytes alone: the share says how much of the bandwidth such kernels reach.
double elementwise_seconds(const machine::Device& device, ElementwiseRate rate, double bytes) {
  return bytes / (device.elementwise.*rate * device.memory_bytes_per_s());
}

// The p-norm: nearly the larger of both, and more where they are alike, since host and device then hold each other up.
double soft_max(double a, double b, double p) { return std::pow(std::pow(a, p) + std::pow(b, p), 1 / p); }

}  // namespace orrery::llm
