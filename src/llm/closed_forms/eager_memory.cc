#include "llm/closed_forms/eager_memory.h"

#include <algorithm>
#include <cmath>

namespace orrery::llm {
namespace {

/// Saved for the backward pass of one block.
double saved_activations(const BlockShape& b) {
  const double t = b.tokens();
  const double residual = t * b.hidden * b.residual_bytes();
  const double gpt = 6 * b.hidden + 2 * b.ffn, llama = 4 * b.hidden + 2 * b.kv_width + 4 * b.ffn;
  double bytes = 2 * residual + 2 * t * (b.style == BlockStyle::gpt ? gpt : llama) + 4 * t * b.heads;
  // One bf16 copy of a norm's output per further linear that reads it.
  if (b.mixed_precision && b.style == BlockStyle::llama) bytes += 2 * t * b.hidden * 3;
  return bytes;
}

}  // namespace

double training_peak_bytes(const EagerConstants& c, const EagerModel& model, const EagerTraining& training) {
  const BlockShape block = model.block(training.micro_batch, training.mixed_precision);
  const double tokens = block.tokens();
  const double weight_bytes = training.mixed_precision ? 4 : 2;
  const double parameters = model.parameters(), of_block = block_parameters(block);
  const double residual = tokens * model.hidden * block.residual_bytes();
  const double saved = saved_activations(block);
  // Autocast keeps a bf16 copy of what it has cast, until the backward pass (or, recomputing, the block) is over.
  double copies = 0;
  if (training.mixed_precision)
    copies = training.full_recomputation ? 2 * (of_block + model.vocabulary * model.hidden) : 2 * parameters;
  const double base = 3 * weight_bytes * parameters;  // weights and two states
  const bool accumulates = std::floor(training.global_batch / training.micro_batch) > 1;
  const double at_loss = base + (accumulates ? weight_bytes * parameters : 0) +
                         model.layers * (training.full_recomputation ? residual : saved) + copies +
                         kLogitsHeldBytes * tokens * model.vocabulary + c.loss_residual_copies * residual;
  const double first_block = base + weight_bytes * (parameters - of_block) + saved + copies +
                             style_of(c, model.style).backward_ffn_copies * 2 * tokens * model.ffn + residual;
  const double optimizer = base + weight_bytes * parameters + (training.full_recomputation ? 0 : copies);
  return std::max({at_loss, first_block, optimizer}) + c.training_overhead_mb * 1e6;
}

double inference_peak_bytes(const EagerConstants& c, const EagerModel& model, double batch, bool decode) {
  const double tokens = decode ? batch : batch * model.sequence;
  const double cache = model.layers * batch * model.sequence * 2 * model.kv_width * 2;
  const double widths =
      model.style == BlockStyle::gpt ? 5 * model.hidden + 2 * model.ffn : 4 * model.hidden + 3 * model.ffn;
  const double bytes = 2 * model.parameters() + cache + 2 * tokens * widths + 2 * batch * model.vocabulary;
  const double low = c.workspace_low_mib * 0x1p20, high = c.workspace_high_mib * 0x1p20,
               half = c.workspace_half_gib * 0x1p30;
  const double large = std::pow(bytes, 4) / (std::pow(bytes, 4) + std::pow(half, 4));
  return bytes + low + (high - low) * large;
}

}  // namespace orrery::llm
