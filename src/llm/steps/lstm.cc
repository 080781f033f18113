#include "llm/steps/lstm.h"

#include "llm/kernels/kernel_list.h"

namespace orrery::llm {
namespace {

using Shares = machine::ElementwiseShares;

constexpr double kGates = 4;
// Elements of a state's width: gates from both products, the old cell in; gates, cell and state out.
constexpr double kForwardPasses = 2 * kGates + 1 + kGates + 2;
// Gates, both cells and the gradients of cell and state in; gradients of gates and of the old cell out.
constexpr double kBackwardPasses = kGates + 4 + kGates + 1;

double input_width(const StepPlan& plan, std::uint32_t layer) {
  return layer == 0 ? plan.lstm->input : plan.model.hidden;
}

/// A layer whose input is so wide.
PassTimes cells(const machine::Device& device, const StepPlan& plan, double input) {
  const double h = plan.model.hidden, gates = kGates * h, batch = plan.job.micro_batch, steps = plan.job.sequence,
               tokens = plan.tokens();
  const auto product = [&](double m, double n, double k) {
    return device.sustained_slowdown *
           machine::gemm_seconds(device, {.m = m, .n = n, .k = k, .type = plan.precision}, machine::in_stream(device));
  };
  const double floor =
      device.gemm.stream_floor_us * 1e-6;  // every time step launches an element-wise kernel of its own
  const double element = machine::bytes_of(plan.precision);
  PassTimes times;
  times.forward = product(tokens, gates, input) + steps * (product(batch, gates, h) + floor) +
                  elementwise_seconds(device, &Shares::activation_forward, kForwardPasses * tokens * h * element);
  times.input_gradient =
      product(tokens, input, gates) + steps * (product(batch, h, gates) + floor) +
      elementwise_seconds(device, &Shares::activation_backward, kBackwardPasses * tokens * h * element);
  times.weight_gradient = product(gates, input, tokens) + product(gates, h, tokens) +
                          elementwise_seconds(device, &Shares::bias_gradient, gates * tokens * element);
  if (plan.job.recomputation == Recomputation::full) times.recomputed = times.forward;
  return times;
}

}  // namespace

StepTimes lstm_times(const Catalog& catalog, const machine::Device& device, const StepPlan& plan) {
  const double tokens = plan.tokens(), h = plan.model.hidden, v = plan.model.vocabulary,
               slow = device.sustained_slowdown;
  const machine::GemmRun run = machine::in_stream(device);
  const auto product = [&](double m, double n, double k) {
    return slow * machine::gemm_seconds(device, {.m = m, .n = n, .k = k, .type = plan.precision}, run);
  };
  StepTimes all;
  all.layer.mlp = cells(device, plan, h);
  all.layer.first_cells = cells(device, plan, plan.lstm->input);
  const double loss = elementwise_seconds(device, &Shares::cross_entropy, catalog.core.logit_bytes * tokens * v);
  all.head = {.forward = product(tokens, v, h) + loss / 3,
              .input_gradient = product(tokens, h, v) + loss * 2 / 3,
              .weight_gradient = product(v, h, tokens)};
  const double lookup = elementwise_seconds(device, &Shares::add, 2 * kElementBytes * tokens * plan.lstm->input);
  all.embedding = {.forward = lookup, .input_gradient = 0, .weight_gradient = lookup};
  all.optimizer_per_parameter =
      elementwise_seconds(device, &Shares::optimizer_32bit, catalog.core.optimizer_bytes_per_parameter);
  return all;
}

double cell_parameters(const StepPlan& plan, std::uint32_t layer) {
  // Two biases per gate, as cuDNN has them.
  return kGates * plan.model.hidden * (input_width(plan, layer) + plan.model.hidden + 2);
}

double saved_cell_bytes(const StepPlan& plan, std::uint32_t layer, bool whole) {
  const double element = machine::bytes_of(plan.precision);
  if (plan.job.recomputation == Recomputation::full && !whole)
    return element * plan.tokens() * input_width(plan, layer);
  return element * plan.tokens() * (input_width(plan, layer) + (kGates + 2) * plan.model.hidden);
}

}  // namespace orrery::llm
