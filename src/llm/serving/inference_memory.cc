#include "llm/serving/inference_memory.h"

#include <algorithm>

#include "llm/kernels/kernel_list.h"

namespace orrery::llm {

InferenceMemory inference_memory(const InferencePlan& plan, const MemoryOptions& options, std::uint32_t stage) {
  const Architecture& m = plan.shape.model;
  const double tp = plan.shape.job.tensor, weight_bytes = machine::bytes_of(plan.precision),
               table = m.vocabulary * m.hidden / tp;
  const std::uint32_t first = plan.shape.first_layer(stage), end = plan.shape.first_layer(stage + 1);
  const bool is_first = stage == 0, is_last = stage + 1 == plan.shape.stages();
  InferenceMemory memory;
  for (std::uint32_t layer = first; layer < end; ++layer) {
    const ServedParameters of = served_parameters(plan, plan.shape.has_experts(layer));
    memory.weights += weight_bytes * (of.attention + of.mlp + of.experts);
  }
  if (is_first) memory.weights += weight_bytes * table;
  // Tied weights are there once, if both ends of the model are on one rank.
  if (is_last && !(is_first && plan.shape.tied_embeddings)) memory.weights += weight_bytes * table;

  const bool continuous = plan.batching == Batching::continuous;
  memory.cache_per_request =
      cache_bytes_per_token(plan) * (end - first) * (plan.prompt + plan.generate / (continuous ? 2 : 1));
  memory.cache = plan.replica_requests() * memory.cache_per_request;

  const double prompts = continuous ? 1 : plan.requests();
  // As in llm/closed_forms/eager_memory: queries, keys, values, residual stream, and both sides of the activation.
  double width = (m.plain_mlp ? 2 : 3) * m.ffn / tp;
  if (m.experts) width = std::max(width, 3 * m.experts->chosen * m.experts->ffn / plan.expert_split());
  memory.workspace = options.library_bytes + kElementBytes * prompts * plan.prompt * (4 * m.hidden + width);
  if (is_last) memory.workspace += kElementBytes * plan.requests() * m.vocabulary;
  memory.unused = options.fragmentation_share * memory.sum();
  return memory;
}

}  // namespace orrery::llm
