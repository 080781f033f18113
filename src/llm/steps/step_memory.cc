#include "llm/steps/step_memory.h"

#include <algorithm>

#include "llm/closed_forms/peak_memory.h"
#include "llm/kernels/kernel_list.h"

namespace orrery::llm {
namespace {

/// What all passes of a stage have in common.
struct StageParts {
  RankParameters parameters;
  double largest_layer = 0;  ///< parameters of it
  double saved = 0;          ///< per chunk in flight, the mean over chunks
  double largest_saved = 0;  ///< of one layer, as if nothing were recomputed
};

StageParts parts_of(const StepPlan& plan, std::uint32_t stage) {
  StageParts all;
  for (std::uint32_t chunk = 0; chunk < plan.chunks(); ++chunk) {
    const std::uint32_t part = chunk * plan.stages() + stage;
    all.parameters += part_parameters(plan, part);
    for (std::uint32_t layer = plan.first_layer(part); layer < plan.first_layer(part + 1); ++layer) {
      const LayerModel& model = layer_model(plan, layer);
      all.largest_layer = std::max(all.largest_layer, model.gathered_parameters(plan, layer));
      all.saved += saved_bytes(plan, layer) / plan.chunks();
      all.largest_saved = std::max(all.largest_saved, model.saved_bytes(plan, layer, Recomputation::none));
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
  // ZB-H1 keeps to the memory of 1F1B's first stage on every stage.
  if (plan.order == PipelineOrder::zero_bubble) in_flight = std::min(micro_batches, stages);
  memory.activations = in_flight * parts.saved;
  const bool is_last = stage + 1 == plan.stages();
  memory.workspace = workspace(plan, options, parts, is_last ? plan.parts() - 1 : stage, Pass::backward);
  return with_rest(memory, options);
}

}  // namespace orrery::llm
