#include "llm/steps/layer_model.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include "report/counted.h"

namespace orrery::llm {

namespace {

using machine::Violation;

constexpr double kMostRanks = 1 << 20;
constexpr double kMostMicroBatches = 1 << 20;

bool divides(double divisor, double value) { return std::fmod(value, divisor) == 0; }

std::optional<Violation> find_batch_violation(const ParallelJob& job) {
  if (!divides(job.context, job.sequence))
    return Violation{"parallelism.context",
                     fmt::format("of {} must divide the sequence of {} tokens", job.context, job.sequence)};
  const double at_once = job.micro_batch * job.data;
  if (!divides(at_once, job.global_batch)) {
    return Violation{"training.global_batch",
                     fmt::format("of {} must be a multiple of micro_batch x data = {} x {} = {}", job.global_batch,
                                 job.micro_batch, job.data, at_once)};
  }
  if (job.global_batch / at_once > kMostMicroBatches)
    return Violation{"training.global_batch",
                     fmt::format("makes {} micro-batches: at most {}", job.global_batch / at_once, kMostMicroBatches)};
  return std::nullopt;
}

std::optional<Violation> find_pipeline_violation(const StepPlan& plan) {
  const ParallelJob& job = plan.job;
  if (plan.layers() < plan.parts()) {
    return Violation{job.interleave > 1 ? "parallelism.chunks" : "parallelism.pipeline",
                     fmt::format("makes {} of {}: each needs one", report::counted(plan.parts(), "part"),
                                 report::counted(plan.layers(), "layer"))};
  }
  if (plan.overlap.experts && plan.order != PipelineOrder::one_f_one_b)
    return Violation{"overlap.experts", "only goes with the order 1f1b, which has forward and backward passes in turn"};
  if (plan.overlap.experts && job.expert < 2)
    return Violation{"overlap.experts", "needs experts on several ranks: there is no exchange to hide",
                     "parallelism.expert"};
  if (job.interleave <= 1) return std::nullopt;
  if (job.pipeline < 2)
    return Violation{"parallelism.chunks", fmt::format("of {} needs a pipeline of at least 2 stages", job.interleave)};
  if (plan.order != PipelineOrder::one_f_one_b)
    return Violation{"parallelism.chunks", fmt::format("of {} only goes with the order 1f1b", job.interleave)};
  if (!divides(job.pipeline, plan.micro_batches())) {
    return Violation{"parallelism.chunks",
                     fmt::format("of {}: interleaving needs a number of micro-batches, here {}, that the {} divide",
                                 job.interleave, plan.micro_batches(), report::counted(job.pipeline, "stage"))};
  }
  return std::nullopt;
}

}  // namespace

const LayerModel& layer_model(const StepPlan& plan, std::uint32_t layer) {
  if (plan.lstm) return lstm_layers();
  return plan.has_experts(layer) ? expert_layers() : dense_layers();
}

const LayerModel& layer_model(const StepPlan& plan) {
  if (plan.lstm) return lstm_layers();
  // Models with experts have dense layers besides, about which experts change nothing.
  return plan.model.experts ? expert_layers() : dense_layers();
}

StepTimes step_times(const Catalog& catalog, const machine::Device& device, const StepPlan& plan) {
  return layer_model(plan).times(catalog, device, plan);
}

double saved_bytes(const StepPlan& plan, std::uint32_t layer) {
  return layer_model(plan, layer).saved_bytes(plan, layer, plan.job.recomputation);
}

// Full recomputation runs the forward kernels again by itself, as a pass.
double backward_seconds(const StepPlan& plan, const PassTimes& times) {
  return times.input_gradient + (plan.job.recomputation == Recomputation::full ? 0 : times.recomputed);
}

void matrices_backward(LayerWriter& writer, const ItemName& label, const PassTimes& times, bool with_weights) {
  const double weights = with_weights ? times.weight_gradient : 0;
  // Of the matrices' gradients, that of the first: a gated MLP has three alike, of which gate and up are one product.
  const double first = writer.plan().model.plain_mlp ? 1.0 / 2 : 2.0 / 3;
  writer.half_backward(label, backward_seconds(writer.plan(), times) + (1 - first) * weights, first * weights);
}

std::optional<Violation> find_plan_violation(const StepPlan& plan) {
  const ParallelJob& job = plan.job;
  const double ranks = job.tensor * job.context * job.pipeline * job.data;
  // First of all: everything below multiplies degrees.
  if (ranks > kMostRanks)
    return Violation{"devices", fmt::format("are {:.0f}: at most {:.0f} are simulated", ranks, kMostRanks)};
  if (job.devices > 0 && ranks != job.devices) {
    return Violation{
        "parallelism",
        fmt::format("tensor x context x pipeline x data = {} x {} x {} x {} = {} must be the {}", job.tensor,
                    job.context, job.pipeline, job.data, ranks, report::counted(job.devices, "device"))};
  }
  if (plan.software == Software::pytorch_fsdp &&
      (job.tensor * job.context * job.pipeline > 1 || !layer_model(plan).is_known_to(plan.software)))
    return Violation{"software", "of pytorch_fsdp is known for data parallelism of transformers without experts alone",
                     "megatron_core"};
  if (auto found = find_batch_violation(job)) return found;
  if (auto found = layer_model(plan).find_violation(plan)) return found;
  return find_pipeline_violation(plan);
}

double model_flop(const StepPlan& plan) {
  return plan.job.global_batch * plan.job.sequence * layer_model(plan).flop_per_token(plan);
}

}  // namespace orrery::llm
