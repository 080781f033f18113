// How long flash attention (Dao: "FlashAttention-2", 2023) takes. When causal, blocks above the diagonal are skipped,
// the diagonal itself is not. Heads of queries may share heads of keys and values (grouped-query attention): the same
// operations on fewer bytes. Values may be narrower than queries and keys (multi-head latent attention): the two
// forward products then differ in size.
#pragma once

#include "machine/device/device.h"

namespace orrery::machine {

struct AttentionShape {
  double batch = 0, heads = 0, head_size = 0, sequence = 0;
  bool causal = true;
  double kv_heads = 0;    ///< 0: as many as heads
  double value_size = 0;  ///< of a head; 0: head_size

  [[nodiscard]] double key_heads() const { return kv_heads > 0 ? kv_heads : heads; }
  [[nodiscard]] double value_width() const { return value_size > 0 ? value_size : head_size; }
};

/// Operations of the forward pass.
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

}  // namespace orrery::machine
