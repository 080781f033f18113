#include "machine/device/kernel_attention.h"

namespace orrery::machine {
namespace {

constexpr double kDiagonalBlock =
    128;  // rows and columns of a block: half of it on the diagonal is computed for nothing

}  // namespace

double attention_flop(const AttentionShape& shape) {
  const double keys = shape.causal ? (shape.sequence + kDiagonalBlock) / 2 : shape.sequence;  // that a query meets
  return 2 * shape.batch * shape.heads * (shape.head_size + shape.value_width()) * shape.sequence * keys;
}

double attention_backward_flop(const AttentionShape& shape) {
  const double wide = shape.head_size, narrow = shape.value_width();
  return (3 * wide + 2 * narrow) / (wide + narrow) * attention_flop(shape);
}

double attention_operands(const AttentionShape& shape) {
  const double keys_and_values = shape.key_heads() * (shape.head_size + shape.value_width());
  return shape.batch * shape.sequence * (shape.heads * shape.head_size + keys_and_values);
}

double attention_forward_seconds(const Device& device, const AttentionShape& shape) {
  const AttentionConstants& c = device.attention;
  double share = c.forward_share / (1 + c.forward_half_sequence / shape.sequence);
  if (shape.head_size <= kNarrowHead) share *= c.narrow_head_forward;
  return attention_flop(shape) / (device.peak_flops(DataType::bf16) * share);
}

double attention_backward_seconds(const Device& device, const AttentionShape& shape) {
  const AttentionConstants& c = device.attention;
  double share = c.backward_share / (1 + c.backward_half_sequence / shape.sequence);
  if (shape.head_size <= kNarrowHead) share *= c.narrow_head_backward;
  return attention_backward_flop(shape) / (device.peak_flops(DataType::bf16) * share);
}

}  // namespace orrery::machine
