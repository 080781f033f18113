// Kernels as a benchmark times them one by one: by events, with a cold cache. Each has a floor that is not there in a
// running step.
#pragma once

#include "machine/device/device.h"
#include "machine/device/kernel_attention.h"

namespace orrery::machine {

/// `bytes` read and written in all.
double streaming_seconds(const StreamingKernel& kernel, double bytes);

/// Softmax over rows of `columns` 16-bit elements.
double softmax_seconds(const SoftmaxKernel& kernel, double rows, double columns);

/// LayerNorm or RMSNorm: a block per row, so that time is flat in the rows until all units are taken, and linear
/// behind.
double norm_seconds(const RowKernel& kernel, double compute_units, double rows, double columns);

enum class AttentionPass : std::uint8_t { forward, backward, both };
double attention_alone_seconds(const Device& device, const AttentionKernel& kernel, const AttentionShape& shape,
                               AttentionPass pass);

/// floor + the roofline (roofline.h) of `bytes` at the kernel's bandwidth and of `operations` outside the matrix units,
/// where that rate is known.
double elementwise_alone_seconds(const Device& device, const StreamingKernel& kernel, double bytes, double operations);

}  // namespace orrery::machine
