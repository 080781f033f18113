// How long flash attention (Dao: "FlashAttention-2", 2023) takes when causal: blocks above the diagonal are skipped, the diagonal itself is not.
#pragma once

#include "machine/device.h"

namespace orrery::machine {

struct AttentionShape {
  double batch = 0, heads = 0, head_size = 0, sequence = 0;
};

/// Operations of the forward pass.
double attention_flop(const AttentionShape& shape);
/// The backward pass has five products where the forward one has two.
inline constexpr double kBackwardAttention = 2.5;
/// Heads of at most this many elements leave the matrix units waiting.
inline constexpr double kNarrowHead = 64;

/// Seconds in a running step.
double attention_forward_seconds(const Device& device, const AttentionShape& shape);
double attention_backward_seconds(const Device& device, const AttentionShape& shape);

}  // namespace orrery::machine
