#include "llm/closed_forms/peak_memory.h"

#include <algorithm>
#include <cmath>

namespace orrery::llm {

double fullest_rank_bytes(const ShardMemoryConstants& c, const ShardedModel& model, const ParallelJob& job) {
  const double h = model.hidden, tp = job.tensor, pp = job.pipeline, tokens = job.micro_batch * job.sequence;
  const double layer_parameters = 4 * h * h + 3 * h * model.ffn;
  // Stages are cut by cost, in which the head counts as so many layers.
  const double head_layers = c.head_layer_share * model.vocabulary * h / layer_parameters;
  const double target = (model.layers + head_layers) / pp;
  const bool one_stage = pp == 1;
  const double first = one_stage ? model.layers : std::min(model.layers, std::ceil(target - 0.5));
  const double last = one_stage ? model.layers : std::max(0.0, model.layers - std::ceil((pp - 1) * target - 0.5));

  const double activations = tokens * (c.replicated_activation * 2 * h +
                                       (c.hidden_activation * 2 * h + c.ffn_activation * 2 * model.ffn) / tp);
  const double per_parameter =
      c.bytes_per_parameter + c.state_bytes_per_parameter / (job.zero_stage >= 1 ? job.data : 1);
  const double embedding = model.vocabulary * h / tp;
  const double logits = c.logit_bytes * tokens * model.vocabulary / tp;
  const double in_flight =
      std::min(job.micro_batches(), pp);  // 1F1B: the first stage has begun as many as there are stages
  const double of_first = (first * layer_parameters / tp + embedding * (one_stage ? 2 : 1)) * per_parameter +
                          first * in_flight * activations + (one_stage ? logits : 0);
  const double of_last = (last * layer_parameters / tp + embedding) * per_parameter + last * activations + logits;
  return std::max(of_first, one_stage ? 0 : of_last) + c.overhead_mb * 1e6;
}

double activation_bytes(double layers, double hidden, double heads, const ParallelJob& job) {
  constexpr double kPaperVocabulary = 51200;
  const double tp = job.tensor, pp = job.pipeline, sbh = job.sequence * job.micro_batch * hidden;
  double layer = 2 * sbh;
  if (job.recomputation != Recomputation::full) {
    const double core = job.recomputation == Recomputation::selective ? 0 : 5 * heads * job.sequence / hidden / tp;
    layer = sbh * ((job.sequence_parallel ? 34 / tp : 10 + 24 / tp) + core);
  }
  // Interleaving begins more micro-batches before the first is done.
  const double held = pp > 1 && job.interleave > 1 ? layers * (1 + (pp - 1) / (pp * job.interleave)) : layers;
  double extra = sbh * pp / (job.sequence_parallel ? tp : 1);
  if (pp == 1) extra += 4 * sbh * (1 + kPaperVocabulary / hidden) / tp;
  return layer * held + extra;
}

double state_bytes(double layers, double hidden, double vocabulary, const ParallelJob& job) {
  constexpr double kBytesPerParameter = 18;
  return kBytesPerParameter * (layers * 12 * hidden * hidden + vocabulary * hidden) / (job.tensor * job.pipeline);
}

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
