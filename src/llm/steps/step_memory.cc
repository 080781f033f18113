#include "llm/steps/step_memory.h"

#include <algorithm>

#include "llm/closed_forms/eager_memory.h"
#include "llm/kernels/kernel_list.h"
#include "llm/steps/lstm.h"

namespace orrery::llm {
namespace {

constexpr double kScoreBytes =
    5;  // per score without flash attention: scores and softmax in 16 bits, and a dropout mask

/// What all passes of a stage have in common.
struct StageParts {
  PartParameters parameters;
  double largest_layer = 0;  ///< parameters of it
  double saved = 0;          ///< per chunk in flight, the mean over chunks
  double largest_saved = 0;  ///< of one layer, as if nothing were recomputed
};

/// Of what the backward pass of a layer needs, how many bytes an element takes. With products in 8 bits or fewer, their
/// inputs are kept as they were multiplied (NVIDIA's Transformer Engine does so); what norms, attention and activations
/// need stays in 16 bits.
struct KeptBytes {
  double plain = 2;    ///< inputs of norms and of activations, queries, keys, values
  double norm = 2;     ///< outputs of norms, which are inputs of products; 0: computed again
  double product = 2;  ///< outputs of activations, likewise
  double copy = 0;     ///< attention's output is kept once more as the input of the product behind it
};
KeptBytes kept_bytes(const StepPlan& plan, bool selective) {
  KeptBytes kept;
  if (is_early(plan.software)) return kept;  // then selective meant scores alone
  if (plan.precision == machine::DataType::fp8 || plan.precision == machine::DataType::fp4)
    kept.norm = kept.product = kept.copy = 1;
  if (selective) kept.norm = kept.product = 0;
  return kept;
}

/// Per token, of all heads. Latent attention that is recomputed keeps only what the up-projections read.
double attention_kept(const Architecture& m, const KeptBytes& kept, bool selective) {
  if (!m.latent_attention)
    return kept.plain * (2 * m.heads * m.head_size + 2 * m.kv_width()) + kept.copy * m.heads * m.head_size;
  const LatentAttention& l = *m.latent_attention;
  const double output = (kept.plain + kept.copy) * m.heads * l.value_size;
  if (selective) return output + kept.plain * (l.query_rank + l.key_value_rank + l.rotary_size);
  return output + kept.plain * m.heads * (2 * (l.plain_size + l.rotary_size) + l.value_size);
}

/// Kept by a layer if no more is recomputed than `selective` says. Korthikanti et al., Reducing activation
/// recomputation in large transformer models, 2022, with gated MLPs, grouped keys and flash attention besides.
double saved_whole(const StepPlan& plan, std::uint32_t layer, bool selective) {
  if (plan.lstm) return saved_cell_bytes(plan, layer, true);
  const Architecture& m = plan.model;
  const double tp = plan.job.tensor, t = plan.tokens(), h = m.hidden;
  const double sequence = plan.job.sequence_parallel ? tp : 1;
  const bool early = is_early(plan.software);
  const KeptBytes kept = kept_bytes(plan, selective);
  // Inputs of norms and of the first matrices; with dropout, as early software trained, two masks besides.
  const double shared = t * h * (2 * kept.plain + 2 * kept.norm) + (early ? 2 * t * h : 0);
  const double attention = t * attention_kept(m, kept, selective);
  const double gated = 2 * kept.plain + kept.product;  // gate and up, and their product
  if (plan.has_experts(layer)) {
    const Experts& e = *m.experts;
    // Routed tokens as products read them, and what experts keep: each rank has its share of all. Their outputs are not
    // needed again, since the router's weights multiply the activations inside.
    const double input = kept.copy > 0 ? kept.copy : kept.plain;
    return shared / sequence + attention / tp + t / tp * e.chosen * (input * h + gated * e.ffn) +
           t * gated * e.shared_ffn / tp;
  }
  const double mlp = t * m.ffn * (m.plain_mlp ? kept.plain + kept.product : gated);
  double scores = 0;
  if (early && !selective) scores = kScoreBytes * m.heads * plan.job.sequence * t / tp;
  return shared / sequence + (attention + mlp + scores) / tp;
}

StageParts parts_of(const StepPlan& plan, std::uint32_t stage) {
  StageParts all;
  for (std::uint32_t chunk = 0; chunk < plan.chunks(); ++chunk) {
    const std::uint32_t part = chunk * plan.stages() + stage;
    const PartParameters of = part_parameters(plan, part);
    all.parameters.replicated += of.replicated;
    all.parameters.experts += of.experts;
    for (std::uint32_t layer = plan.first_layer(part); layer < plan.first_layer(part + 1); ++layer) {
      const RankParameters rank = rank_parameters(plan, plan.has_experts(layer));
      all.largest_layer = std::max(all.largest_layer, rank.attention + rank.mlp + rank.experts);
      all.saved += saved_bytes(plan, layer) / plan.chunks();
      all.largest_saved = std::max(all.largest_saved, saved_whole(plan, layer, false));
    }
  }
  return all;
}

/// Weights, gradients and states, sharded as ZeRO says.
MemoryParts resident(const StepPlan& plan, const MemoryOptions& options, const StageParts& parts) {
  const double data = ranks_along(plan, ParallelAxis::data), copies = ranks_along(plan, ParallelAxis::expert_data);
  const auto shared = [&](double bytes, int from_stage) {
    const bool is_sharded = plan.job.zero_stage >= from_stage;
    return bytes * (parts.parameters.replicated / (is_sharded ? data : 1) +
                    parts.parameters.experts / (is_sharded ? copies : 1));
  };
  if (plan.adapters_only) return {.weights = shared(kElementBytes, 3)};
  return {.weights = shared(kElementBytes, 3),
          .gradients = shared(plan.gradient_bytes, 2),
          .optimizer = shared(options.optimizer_bytes, 1)};
}

double workspace(const StepPlan& plan, const MemoryOptions& options, const StageParts& parts, std::uint32_t part,
                 Pass pass) {
  double bytes = options.library_bytes;
  if (part + 1 == plan.parts() && pass != Pass::weight_gradient)
    bytes += kLogitsHeldBytes * plan.tokens() * plan.model.vocabulary / plan.job.tensor;
  // While a layer runs backward, all that it needs is there, also what was not kept.
  if (pass == Pass::backward && plan.job.recomputation != Recomputation::none) bytes += parts.largest_saved;
  // Gradients of the layer at hand are whole until they are scattered, and those of the one before may still be under
  // way.
  if (plan.job.zero_stage >= 2 && pass != Pass::forward) bytes += 2 * plan.gradient_bytes * parts.largest_layer;
  // The layer at hand and the next one are whole.
  if (plan.job.zero_stage >= 3) bytes += 2 * kElementBytes * parts.largest_layer;
  return bytes;
}

MemoryParts with_rest(MemoryParts memory, const MemoryOptions& options) {
  memory.unused = options.fragmentation_share * memory.sum();
  return memory;
}

}  // namespace

double saved_bytes(const StepPlan& plan, std::uint32_t layer) {
  if (plan.lstm) return saved_cell_bytes(plan, layer, false);
  // Only the input of the layer; sequence parallelism shares it.
  if (plan.job.recomputation == Recomputation::full)
    return kElementBytes * plan.tokens() * plan.model.hidden / (plan.job.sequence_parallel ? plan.job.tensor : 1);
  return saved_whole(plan, layer, plan.job.recomputation == Recomputation::selective);
}

StageMemory stage_memory(const StepPlan& plan, const MemoryOptions& options, std::uint32_t stage,
                         const std::vector<PassItem>& order) {
  const StageParts parts = parts_of(plan, stage);
  const MemoryParts stays = resident(plan, options, parts);
  const Pass frees = plan.order == PipelineOrder::zero_bubble ? Pass::weight_gradient : Pass::backward;
  StageMemory memory;
  std::vector<double> saved(plan.chunks(), 0);
  for (std::uint32_t chunk = 0; chunk < plan.chunks(); ++chunk) {
    const std::uint32_t part = chunk * plan.stages() + stage;
    for (std::uint32_t layer = plan.first_layer(part); layer < plan.first_layer(part + 1); ++layer)
      saved[chunk] += saved_bytes(plan, layer);
  }
  double activations = 0, fullest = -1;
  for (const PassItem& item : order) {
    if (item.pass == Pass::forward) activations += saved[item.chunk];
    const std::uint32_t part = item.chunk * plan.stages() + stage;
    const MemoryMoment moment{item, activations, workspace(plan, options, parts, part, item.pass)};
    memory.moments.push_back(moment);
    if (moment.activations + moment.workspace > fullest) {
      fullest = moment.activations + moment.workspace;
      memory.peak_item = memory.moments.size() - 1;
    }
    if (item.pass == frees) activations -= saved[item.chunk];
  }
  memory.peak = stays;
  if (!memory.moments.empty()) {
    memory.peak.activations = memory.moments[memory.peak_item].activations;
    memory.peak.workspace = memory.moments[memory.peak_item].workspace;
  }
  memory.peak = with_rest(memory.peak, options);
  return memory;
}

MemoryParts peak_memory(const StepPlan& plan, const MemoryOptions& options, std::uint32_t stage) {
  const StageParts parts = parts_of(plan, stage);
  MemoryParts memory = resident(plan, options, parts);
  const double stages = plan.stages(), chunks = plan.chunks(), micro_batches = plan.micro_batches();
  double in_flight = micro_batches;  // GPipe: all of them
  if (plan.order == PipelineOrder::one_f_one_b)
    in_flight = std::min(micro_batches * chunks,
                         chunks == 1 && !plan.overlap.experts
                             ? stages - stage
                             : 2 * (stages - 1 - stage) + (chunks - 1) * stages + 1 + (plan.overlap.experts ? 1 : 0));
  if (plan.order == PipelineOrder::zero_bubble) in_flight = std::min(micro_batches, stages);
  memory.activations = in_flight * parts.saved;
  const bool is_last = stage + 1 == plan.stages();
  memory.workspace = workspace(plan, options, parts, is_last ? plan.parts() - 1 : stage, Pass::backward);
  return with_rest(memory, options);
}

}  // namespace orrery::llm
