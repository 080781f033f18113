// Kernels as a benchmark times them one by one: by events, with a cold cache. Each has a floor that is not there in a
// running step.
#pragma once

#include "machine/device/device.h"

namespace orrery::machine {

// How long flash attention (Dao: "FlashAttention-2", 2023) takes. When causal, blocks above the diagonal are skipped,
// the diagonal itself is not. Heads of queries may share heads of keys and values (grouped-query attention): the same
// operations on fewer bytes. Values may be narrower than queries and keys (multi-head latent attention): the two
// forward products then differ in size. With a window, a query meets no more than so many keys: its own and those
// before it when causal.

struct AttentionShape {
  double batch = 0, heads = 0, head_size = 0, sequence = 0;
  bool causal = true;
  double kv_heads = 0;    ///< 0: as many as heads
  double value_size = 0;  ///< of a head; 0: head_size
  double window = 0;      ///< keys; 0: all

  [[nodiscard]] bool is_windowed() const { return window > 0 && window < sequence; }
  [[nodiscard]] double key_heads() const { return kv_heads > 0 ? kv_heads : heads; }
  [[nodiscard]] double value_width() const { return value_size > 0 ? value_size : head_size; }
};

/// Operations of the forward pass; with a window as many as would take as long.
double attention_flop(const AttentionShape& shape);
/// The backward pass has five products where the forward one has two: three as wide as queries, two as wide as values.
double attention_backward_flop(const AttentionShape& shape);
/// Of backward to forward operations where both are as wide.
inline constexpr double kBackwardAttention = 2.5;
/// Elements of q, k and v.
double attention_operands(const AttentionShape& shape);
/// Heads of at most this many elements leave the matrix units waiting.
inline constexpr double kNarrowHead = 64;

/// Seconds in a running step.
double attention_forward_seconds(const Device& device, const AttentionShape& shape);
double attention_backward_seconds(const Device& device, const AttentionShape& shape);

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
