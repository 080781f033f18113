// A transformer block as eager PyTorch runs it: which products, and how many bytes each element-wise kernel moves. Two
// ways of writing one are known: "gpt" (fused qkv, LayerNorm with bias, GELU, linears with bias) and "llama" (separate
// projections, RMSNorm, rotary positions computed element-wise, SwiGLU with separate gate and up, no bias).
#pragma once

#include <vector>

#include "llm/kernels/kernel_list.h"

namespace orrery::llm {

enum class BlockStyle : std::uint8_t { gpt, llama };

struct BlockShape {
  BlockStyle style = BlockStyle::gpt;
  double batch = 0, sequence = 0;
  double hidden = 0, ffn = 0, heads = 0;
  double kv_width = 0;           ///< heads of keys times their size
  bool mixed_precision = false;  ///< residual stream and norms in fp32, casts before products

  [[nodiscard]] double tokens() const { return batch * sequence; }
  /// Of one element of the residual stream.
  [[nodiscard]] double residual_bytes() const { return mixed_precision ? 4 : 2; }
};

struct Linear {
  double in = 0, out = 0;
};
/// In the order in which they run: the last one projects down.
std::vector<Linear> linears_of(const BlockShape& shape);
/// Matrices, biases and norms.
double block_parameters(const BlockShape& shape);
/// Matrices alone.
double matrix_parameters(const BlockShape& shape);

std::vector<Kernel> forward_kernels(const BlockShape& shape);
/// What full recomputation repeats: not the last linear, since non-reentrant checkpointing stops once it has all that
/// was saved.
std::vector<Kernel> recomputed_kernels(const BlockShape& shape);
std::vector<Kernel> backward_kernels(const BlockShape& shape);

/// The head's products, forward and backward.
std::vector<Kernel> head_products(double tokens, double hidden, double vocabulary);
/// Logits to fp32, log-softmax, its gradient and their casts, all together: bytes per logit.
inline constexpr double kLogitBytes = 36;

}  // namespace orrery::llm
