#include "machine/device/kernel_standalone.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "machine/device/roofline.h"

namespace orrery::machine {
namespace {

constexpr double kDiagonalBlock =
    128;  // rows and columns of a block: half of it on the diagonal is computed for nothing

// Behind a window kernels are slower by this factor, and what a block of queries costs besides its keys (edges that are
// computed whole, beginning and end of the block) weighs more than where there are many keys: of 589 pairs of measured
// kernels of H100 and H200 with and without a window of 128, 1,024 and 8,192 keys (run warm), whose ratios these two
// leave 25, 12 and 4 % off; of Blackwell 31, 14 and 11 %.
constexpr double kWindowFactor = 1.2;
constexpr double kWindowEdges = 3 * kDiagonalBlock;

/// Keys that a query meets on average, with what is computed for nothing.
double keys_of_query(const AttentionShape& shape) {
  // With a causal mask half of the pairs are left, and half of the blocks on the diagonal on top.
  const auto all = [&](double sequence) { return shape.causal ? (sequence + kDiagonalBlock) / 2 : sequence; };
  if (!shape.is_windowed()) return all(shape.sequence);
  const double behind = kWindowFactor * (shape.window + kWindowEdges);
  // Queries at the beginning have no more keys than without a window.
  const double first = shape.causal ? shape.window / shape.sequence : 0;
  return std::min(first * all(shape.window) + (1 - first) * behind, all(shape.sequence));
}

}  // namespace

double attention_flop(const AttentionShape& shape) {
  const double keys = keys_of_query(shape);
  // Two operations for each multiplication with addition: one product with the keys, one with the values.
  return 2 * shape.batch * shape.heads * (shape.head_size + shape.value_width()) * shape.sequence * keys;
}

double attention_backward_flop(const AttentionShape& shape) {
  const double wide = shape.head_size, narrow = shape.value_width();
  // Five products instead of two: three of the width of keys, two of that of values.
  return (3 * wide + 2 * narrow) / (wide + narrow) * attention_flop(shape);
}

double attention_operands(const AttentionShape& shape) {
  const double keys_and_values = shape.key_heads() * (shape.head_size + shape.value_width());
  return shape.batch * shape.sequence * (shape.heads * shape.head_size + keys_and_values);
}

double attention_forward_seconds(const Device& device, const AttentionShape& shape) {
  const AttentionConstants& c = device.attention;
  // Short sequences do not fill the device: at half_sequence half of the share is reached.
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

namespace {

// Values of bf16.
constexpr double kElementBytes = 2;
constexpr double kHostCorner = 4;  // of the p-norm of device and host time: what launches late is partly hidden

const RowAlgorithm& algorithm_for(const SoftmaxKernel& kernel, double columns) {
  for (const RowAlgorithm& algorithm : kernel.algorithms) {
    if (columns <= static_cast<double>(algorithm.max_columns)) return algorithm;
  }
  return kernel.algorithms.back();
}

}  // namespace

double streaming_seconds(const StreamingKernel& kernel, double bytes) {
  return kernel.floor_us * 1e-6 + bytes / (kernel.bandwidth_gb_per_s * 1e9);
}

double softmax_seconds(const SoftmaxKernel& kernel, double rows, double columns) {
  const RowAlgorithm& algorithm = algorithm_for(kernel, columns);
  const double bandwidth =
      // A power law around the width at which the bandwidth was measured.
      algorithm.bandwidth_gb_per_s * 1e9 * std::pow(columns / algorithm.at_columns, algorithm.exponent);
  // Read once and written once.
  return kernel.floor_us * 1e-6 + 2 * kElementBytes * rows * columns / bandwidth;
}

double norm_seconds(const RowKernel& kernel, double compute_units, double rows, double columns) {
  const double block = kernel.block_us * 1e-6 + kernel.column_ns * 1e-9 * columns;
  const double waves = rows / (kernel.blocks_per_unit * compute_units);
  // A smooth maximum of one wave of blocks and as many as there are.
  return kernel.floor_us * 1e-6 + block * std::pow(1 + std::pow(waves, kernel.sharpness), 1 / kernel.sharpness);
}

double attention_alone_seconds(const Device& device, const AttentionKernel& kernel, const AttentionShape& shape,
                               AttentionPass pass) {
  const bool narrow = shape.head_size <= kNarrowHead;
  const double peak = device.peak_flops(DataType::bf16);
  const double forward_share = kernel.forward_share / (1 + kernel.forward_half_sequence / shape.sequence) *
                               (narrow ? device.attention.narrow_head_forward : 1);
  const double forward = kernel.floor_us * 1e-6 + attention_flop(shape) / (peak * forward_share);
  if (pass == AttentionPass::forward) return forward;
  const double backward_share = kernel.backward_share / (1 + kernel.backward_half_sequence / shape.sequence) *
                                (narrow ? device.attention.narrow_head_backward : 1);
  const double products = attention_backward_flop(shape) / (peak * backward_share);
  // Alone, the backward pass is one kernel after another on the device: nobody waits for the host.
  if (pass == AttentionPass::backward) return kernel.floor_us * 1e-6 + products;
  const double operand_bytes = kElementBytes * attention_operands(shape);
  const double both = forward + products +
                      kernel.gradient_passes * operand_bytes / (device.elementwise.add * device.memory_bytes_per_s());
  // A smooth maximum: the slower of device and host decides, and close to each other both cost something.
  return std::pow(std::pow(both, kHostCorner) + std::pow(kernel.host_us * 1e-6, kHostCorner), 1 / kHostCorner);
}

double elementwise_alone_seconds(const Device& device, const StreamingKernel& kernel, double bytes, double operations) {
  std::vector<Ceiling> ceilings = {{.amount = std::llround(bytes), .per_second = kernel.bandwidth_gb_per_s * 1e9}};
  if (const auto vector_peak = device.vector_peak_tflops[DataType::fp32])
    ceilings.push_back({.amount = std::llround(operations), .per_second = *vector_peak * 1e12});
  const TimePs longest = roofline_time(ceilings).value_or(kMaxRooflinePs);
  return kernel.floor_us * 1e-6 + static_cast<double>(longest) / static_cast<double>(kPsPerSecond);
}

}  // namespace orrery::machine
