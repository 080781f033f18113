#include "llm/steps/step_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "llm/attention.h"
#include "llm/steps/layer_model.h"
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

std::uint32_t StepPlan::first_layer(std::uint32_t part) const {
  const std::uint32_t count = parts(), each = layers() / count, more = layers() % count;
  if (part == 0 || more == 0) return each * part;
  // The layers left over go to parts 1, 2, ..., count - 2; the first part gets one only if all of those have theirs,
  // the last never.
  const bool first_has_one = more == count - 1;
  return each * part + (first_has_one ? 1 : 0) + std::min(part - 1, std::min(more, count - 2));
}

std::vector<workload::Axis> layout_of(const StepPlan& plan, ParallelAxis axis) {
  const auto whole = [](double value) { return static_cast<std::uint32_t>(value); };
  const std::uint32_t tensor = whole(plan.job.tensor), context = whole(plan.job.context),
                      expert = whole(plan.job.expert);
  const workload::Axis along_tensor{tensor, 1}, along_pipeline{plan.stages(), plan.stage_ranks()};
  switch (axis) {
    case ParallelAxis::tensor: return {along_tensor};
    case ParallelAxis::context: return {{context, tensor}};
    case ParallelAxis::expert: return {{expert, 1}};
    case ParallelAxis::pipeline: return {along_pipeline};
    case ParallelAxis::data: return {{context * whole(plan.job.data), tensor}};
    case ParallelAxis::expert_data: return {{plan.stage_ranks() / expert, expert}};
    case ParallelAxis::model: return {along_tensor, along_pipeline};
  }
  return {};
}

double ranks_along(const StepPlan& plan, ParallelAxis axis) {
  double ranks = 1;
  for (const workload::Axis& one : layout_of(plan, axis)) ranks *= one.size;
  return ranks;
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

double active_parameters(const Architecture& m) {
  const double attention = parameters_of_all(attention_projections(m, 1));
  const double matrices = m.plain_mlp ? 2 : 3;
  const double layers = m.layers + m.prediction_layers, dense = m.experts ? m.experts->dense_layers : layers;
  double sum = layers * attention + dense * matrices * m.hidden * m.ffn;
  if (m.experts) {
    const Experts& e = *m.experts;
    sum += (layers - dense) * (3 * m.hidden * (e.chosen * e.ffn + e.shared_ffn) + m.hidden * e.count);
  }
  return sum +
         (1 + m.prediction_layers) * m.vocabulary * m.hidden;  // the head; looking up an embedding computes nothing
}

double model_flop(const StepPlan& plan) {
  return plan.job.global_batch * plan.job.sequence * layer_model(plan).flop_per_token(plan);
}

}  // namespace orrery::llm
