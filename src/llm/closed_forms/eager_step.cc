#include "llm/closed_forms/eager_step.h"

#include <cmath>

namespace orrery::llm {
namespace {

using Shares = machine::ElementwiseShares;

constexpr double kAdam16BitBytes = 14;  // per parameter: weight, gradient and both states in bf16, read and written
constexpr double kAdam32BitBytes = 28;
constexpr double kCastBytes = 12;             // per parameter and micro-batch: weights to bf16, gradients to fp32
constexpr double kCastBytesRecomputing = 18;  // weights once more for the repeated forward pass

}  // namespace

BlockShape EagerModel::block(double batch, bool mixed_precision) const {
  return {.style = style,
          .batch = batch,
          .sequence = sequence,
          .hidden = hidden,
          .ffn = ffn,
          .heads = heads,
          .kv_width = kv_width,
          .mixed_precision = mixed_precision};
}

double EagerModel::parameters() const {
  // Embedding and head, and positions where the style has them.
  return layers * block_parameters(block(1)) + 2 * vocabulary * hidden +
         (style == BlockStyle::gpt ? sequence * hidden : 0);
}

const EagerStyle& style_of(const EagerConstants& constants, BlockStyle style) {
  const std::string_view name = style == BlockStyle::gpt ? "gpt" : "llama";
  for (const EagerStyle& one : constants.styles) {
    if (one.name == name) return one;
  }
  return constants.styles.front();  // the reader of the file has seen to it that both are there
}

double training_seconds(const machine::Device& device, const EagerConstants& c, const EagerModel& model,
                        const EagerTraining& training) {
  const EagerStyle& style = style_of(c, model.style);
  const BlockShape block = model.block(training.micro_batch, training.mixed_precision);
  const double tokens = block.tokens();
  const double micro_batches = std::floor(training.global_batch / training.micro_batch);
  const double r = block.residual_bytes();
  const double parameters = model.parameters();

  KernelSeconds layer = seconds_of(device, forward_kernels(block));
  if (training.full_recomputation) layer += seconds_of(device, recomputed_kernels(block));
  layer += seconds_of(device, backward_kernels(block));
  KernelSeconds micro = model.layers * layer;
  micro += seconds_of(device, head_products(tokens, model.hidden, model.vocabulary));
  micro.elementwise += elementwise_seconds(device, &Shares::cross_entropy, kLogitBytes * tokens * model.vocabulary);
  micro.elementwise +=
      elementwise_seconds(device, &Shares::add, 4 * r * tokens * model.hidden);  // embedding, last norm
  if (training.mixed_precision) {
    const double bytes = training.full_recomputation ? kCastBytesRecomputing : kCastBytes;
    micro.elementwise += elementwise_seconds(device, &Shares::cast, bytes * parameters);
  }
  double seconds = micro_batches * micro.sum();
  // The first micro-batch's gradients are put where they belong, the others are added.
  seconds += (micro_batches - 1) * elementwise_seconds(device, &Shares::accumulate, 3 * r * parameters);
  seconds += training.mixed_precision
                 ? elementwise_seconds(device, &Shares::optimizer_32bit, kAdam32BitBytes * parameters)
                 : elementwise_seconds(device, &Shares::optimizer_16bit, kAdam16BitBytes * parameters);
  const double forward = style.forward_kernels_per_layer * (training.full_recomputation ? 2 : 1);
  const double kernels = micro_batches * model.layers * (forward + style.backward_kernels_per_layer) *
                             (training.mixed_precision ? c.mixed_precision_kernels : 1) +
                         c.step_kernels;
  // Whichever is slower, the device or the host that launches, with a round corner between the two.
  return soft_max(seconds + c.gap_us * 1e-6 * kernels, c.training_launch_us * 1e-6 * kernels, c.host_corner);
}

double prefill_seconds(const machine::Device& device, const EagerConstants& c, const EagerModel& model, double batch) {
  const EagerStyle& style = style_of(c, model.style);
  const BlockShape block = model.block(batch);
  double seconds = (model.layers * seconds_of(device, forward_kernels(block))).sum();
  // The cache is filled: keys and values are read and written.
  seconds += model.layers * elementwise_seconds(device, &Shares::add, 2 * 2 * 2 * block.tokens() * model.kv_width);
  seconds += elementwise_seconds(device, &Shares::add, 4 * 2 * block.tokens() * model.hidden);  // embedding, last norm
  seconds +=
      seconds_of(device, {product(batch, model.vocabulary, model.hidden)}).products;  // of the last position only
  const double kernels = style.forward_kernels_per_layer * model.layers + style.forward_kernels;
  return soft_max(seconds + c.gap_us * 1e-6 * kernels, c.inference_launch_us * 1e-6 * kernels, c.host_corner);
}

double decode_seconds(const machine::Device& device, const EagerConstants& c, const EagerModel& model, double batch) {
  const EagerStyle& style = style_of(c, model.style);
  std::vector<Kernel> products;
  for (const Linear& linear : linears_of(model.block(batch))) products.push_back(product(batch, linear.out, linear.in));
  double seconds = model.layers * seconds_of(device, products).products;
  seconds += seconds_of(device, {product(batch, model.vocabulary, model.hidden)}).products;
  // Keys and values of two bytes each.
  const double cache_bytes = 2 * 2 * batch * model.sequence * model.kv_width;
  const double attention =
      c.decode_attention_us * 1e-6 * (model.sequence < c.short_context ? c.decode_attention_short_factor : 1) +
      cache_bytes / (device.memory_bytes_per_s() * c.cache_read_share);
  const double small =
      style.decode_small_kernels * c.decode_small_kernel_us * 1e-6 + 2 * model.hidden * c.decode_ns_per_width * 1e-9;
  seconds += model.layers * (attention + small);
  // One graph: the host launches nothing, but kernels still start one after another.
  return seconds + c.decode_gap_us * 1e-6 * (style.decode_kernels_per_layer * model.layers + style.decode_kernels);
}

}  // namespace orrery::llm
