#include "llm/steps/shard_memory.h"

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

}  // namespace orrery::llm
