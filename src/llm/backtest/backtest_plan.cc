#include "llm/backtest/backtest_plan.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "llm/backtest/backtest_training.h"

namespace orrery::llm {
namespace {

constexpr double kAmperePort = 25;  // GB/s: 200 Gb/s per device, InfiniBand HDR or RoCE, were usual with A100

/// Of a domain of `most` devices, as many as a job of `devices` gets: schedulers hand out equal segments of domains, so
/// that groups of the job do not lie across two of them (64 of the 72 of an NVL72 where the job is a power of two).
double segment_of(double devices, double most) {
  if (devices <= most) return most;
  double segment = most;
  while (segment > 1 && std::fmod(devices, segment) != 0) --segment;
  return segment;
}

RowCluster cluster_of(const Catalog& catalog, const Source& source, const machine::Device& device, double devices) {
  if (const Cluster* cluster = find_cluster(catalog, source.cluster))
    return {.node_devices = cluster->node_devices, .port_gb_per_s = cluster->node_gb_per_s / cluster->node_devices};
  return {.node_devices = segment_of(devices, static_cast<double>(device.scale_up_devices)),
          .port_gb_per_s = device.generation == "ampere"
                               ? kAmperePort
                               : rates_of(catalog.core.rates, device.generation).port_gb_per_s};
}

Software software_of(const Source& source) {
  if (source.framework == Framework::fsdp) return Software::pytorch_fsdp;
  if (source.framework != Framework::megatron) return Software::megatron_core;
  return source.flavour == "megatron_lm" ? Software::megatron_lm_2021 : Software::megatron_deepspeed_2021;
}

}  // namespace

RowPlans row_plans(const Catalog& catalog, const Source& source, const machine::Device& device,
                   const BacktestRow& row) {
  RowPlans result;
  const bool scheduled = source.framework == Framework::megatron || source.framework == Framework::megatron_core;
  if (!scheduled && source.framework != Framework::fsdp) return result;
  auto model = architecture_of(catalog, source, row);
  if (!model || model->hybrid || !row.has({&BacktestRow::global_batch, &BacktestRow::sequence})) return result;
  StepPlan plan;
  plan.model = std::move(*model);
  plan.software = software_of(source);
  const bool modern = !is_early(plan.software), sharded = plan.software == Software::pytorch_fsdp;
  if (!modern || sharded) plan.model.plain_mlp = true;  // GPT models, whose MLP has two matrices
  plan.job = job_of(source, row);
  plan.job.devices = plan.job.tensor * plan.job.context * plan.job.pipeline * plan.job.data;
  result.cluster = cluster_of(catalog, source, device, plan.job.devices);
  if (plan.model.experts && plan.job.tensor > 1) plan.job.sequence_parallel = true;
  if (modern) plan.job.sequence_parallel = plan.job.tensor > 1;
  if (plan.job.pipeline < 2) plan.job.interleave = 1;
  // As Megatron-Bridge's recipes have it (scripts/performance/configs, moe_a2a_overlap): where tokens leave the
  // scale-up domain, and a pipeline is interleaved, which its overlap needs.
  const bool leaves_domain = plan.model.experts && plan.job.expert > result.cluster.node_devices;
  const bool hides_exchange = modern && leaves_domain && plan.job.interleave > 1;
  plan.overlap = {.gradients = modern,
                  .parameters = modern,
                  .messages = modern && plan.job.interleave > 1,
                  .experts = hides_exchange};
  plan.gradient_bytes = modern || row.precision.starts_with("bf16") ? 4 : 2;
  plan.tied_embeddings = !modern;
  plan.domain_devices = result.cluster.node_devices;
  if (modern) {
    plan.precision = precision_called(source, row.precision);
    plan.release = parse_release(row.notes).value_or(SoftwareRelease{});
    plan.adapters_only = row.notes.find("LoRA") != std::string::npos;
    if (plan.job.zero_stage == 0 && plan.job.data > 1)
      plan.job.zero_stage = 1;             // the distributed optimizer is what these recipes use
    if (sharded) plan.gradient_bytes = 2;  // reduced as they come
  }
  const std::vector<double> sizes = row.micro_batch ? std::vector{*row.micro_batch} : std::vector{1.0, 2.0, 4.0, 8.0};
  for (const double size : sizes) {
    plan.job.micro_batch = size;
    if (!find_plan_violation(plan)) result.plans.push_back(plan);
  }
  return result;
}

std::string schedule_kind(const StepPlan& plan) {
  if (plan.software == Software::pytorch_fsdp) return "schedule fsdp iteration_time";
  if (is_early(plan.software)) return "schedule megatron iteration_time";
  return plan.model.experts ? "schedule megatron_core experts iteration_time" : "schedule megatron_core iteration_time";
}

}  // namespace orrery::llm
