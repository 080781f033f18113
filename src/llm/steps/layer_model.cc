#include "llm/steps/layer_model.h"

namespace orrery::llm {

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

double backward_seconds(const StepPlan& plan, const PassTimes& times) {
  return times.input_gradient + (plan.job.recomputation == Recomputation::full ? 0 : times.recomputed);
}

void matrices_backward(LayerWriter& writer, const ItemName& label, const PassTimes& times, bool with_weights) {
  const double weights = with_weights ? times.weight_gradient : 0;
  // Of the matrices' gradients, that of the first: a gated MLP has three alike, of which gate and up are one product.
  const double first = writer.plan().model.plain_mlp ? 1.0 / 2 : 2.0 / 3;
  writer.half_backward(label, backward_seconds(writer.plan(), times) + (1 - first) * weights, first * weights);
}

}  // namespace orrery::llm
