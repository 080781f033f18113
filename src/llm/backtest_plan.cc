#include "llm/backtest_plan.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "llm/backtest_training.h"

namespace orrery::llm {
namespace {

RowCluster cluster_of(const Catalog& catalog, const Source& source, const machine::Device& device) {
  if (const Cluster* cluster = find_cluster(catalog, source.cluster))
    return {.node_devices = cluster->node_devices, .port_gb_per_s = cluster->node_gb_per_s / cluster->node_devices};
  return {.node_devices = static_cast<double>(device.scale_up_devices),
          .port_gb_per_s = rates_of(catalog.core.rates, device.generation).port_gb_per_s};
}

Software software_of(const Source& source) {
  if (source.framework != Framework::megatron) return Software::megatron_core;
  return source.flavour == "megatron_lm" ? Software::megatron_lm_2021 : Software::megatron_deepspeed_2021;
}

}  // namespace

RowPlans row_plans(const Catalog& catalog, const Source& source, const machine::Device& device, const BacktestRow& row) {
  RowPlans result{.cluster = cluster_of(catalog, source, device)};
  if (source.framework != Framework::megatron && source.framework != Framework::megatron_core) return result;
  auto model = architecture_of(catalog, source, row);
  if (!model || model->hybrid || !row.has({&BacktestRow::global_batch, &BacktestRow::sequence})) return result;
  StepPlan plan;
  plan.model = std::move(*model);
  plan.software = software_of(source);
  const bool modern = plan.software == Software::megatron_core;
  if (!modern) plan.model.plain_mlp = true;  // GPT models, whose MLP has two matrices
  plan.job = job_of(source, row);
  plan.job.devices = plan.job.tensor * plan.job.context * plan.job.pipeline * plan.job.data;
  if (plan.model.experts && plan.job.tensor > 1) plan.job.sequence_parallel = true;
  if (modern) plan.job.sequence_parallel = plan.job.tensor > 1;
  if (plan.job.pipeline < 2) plan.job.interleave = 1;
  plan.overlap = {.gradients = modern, .parameters = modern, .messages = modern && plan.job.interleave > 1};
  plan.gradient_bytes = modern || row.precision.starts_with("bf16") ? 4 : 2;
  plan.tied_embeddings = !modern;
  plan.domain_devices = result.cluster.node_devices;
  if (modern) {
    plan.precision = precision_called(source, row.precision);
    if (plan.job.zero_stage == 0 && plan.job.data > 1) plan.job.zero_stage = 1;  // the distributed optimizer is what these recipes use
  }
  const std::vector<double> sizes = row.micro_batch ? std::vector{*row.micro_batch} : std::vector{1.0, 2.0, 4.0, 8.0};
  for (const double size : sizes) {
    plan.job.micro_batch = size;
    if (!find_plan_violation(plan)) result.plans.push_back(plan);
  }
  return result;
}

std::string schedule_kind(const StepPlan& plan) {
  if (plan.software != Software::megatron_core) return "schedule megatron iteration_time";
  return plan.model.experts ? "schedule megatron_core experts iteration_time" : "schedule megatron_core iteration_time";
}

}  // namespace orrery::llm
