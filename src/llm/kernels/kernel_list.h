// What a layer launches: a list of kernels, each with what the kernel model needs to price it.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/device/device.h"
#include "machine/device/kernel_gemm.h"
#include "machine/device/kernel_standalone.h"

namespace orrery::llm {

inline constexpr double kElementBytes = 2;  ///< of bf16 and fp16, in which tensors are kept and sent

/// Which of the device's element-wise rates a kernel runs at.
using ElementwiseRate = double machine::ElementwiseShares::*;

struct Kernel {
  enum class Kind : std::uint8_t { product, attention_forward, attention_backward, elementwise };
  Kind kind = Kind::elementwise;
  machine::GemmShape product = {};
  machine::AttentionShape attention = {};
  ElementwiseRate rate = nullptr;
  double bytes = 0;  ///< element-wise: read and written
};

Kernel product(double m, double n, double k, double batch = 1);
Kernel attention_forward(const machine::AttentionShape& shape);
Kernel attention_backward(const machine::AttentionShape& shape);
Kernel elementwise(ElementwiseRate rate, double bytes);

/// Device seconds by kind.
struct KernelSeconds {
  double products = 0;
  double attention = 0;
  double elementwise = 0;

  [[nodiscard]] double sum() const { return products + attention + elementwise; }
  KernelSeconds& operator+=(const KernelSeconds& other);
  friend KernelSeconds operator*(double count, KernelSeconds seconds);
};

KernelSeconds seconds_of(const machine::Device& device, const std::vector<Kernel>& kernels,
                         const machine::GemmRun& run);
/// Of kernels inside a stream.
KernelSeconds seconds_of(const machine::Device& device, const std::vector<Kernel>& kernels);

/// bytes / (share of the peak bandwidth).
double elementwise_seconds(const machine::Device& device, ElementwiseRate rate, double bytes);

/// (a^p + b^p)^(1/p): the longer of two that overlap, and a little more where they are alike.
double soft_max(double a, double b, double p);

}  // namespace orrery::llm
