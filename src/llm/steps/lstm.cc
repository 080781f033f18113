// Long short-term memory (Hochreiter and Schmidhuber, 1997) as layers of a training step: those of StepPlan::lstm.
//
// A layer multiplies the inputs of all time steps at once, then goes through time: a product with the state, four
// gates, the new state. Backward likewise; gradients of weights are products over all time steps. Weights are read
// again at every time step: persistent kernels are not modelled.
#include "llm/kernels/kernel_list.h"
#include "llm/steps/layer_model.h"

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

StepTimes lstm_times(const Catalog& catalog, const machine::Device& device, const StepPlan& plan) {
  const double tokens = plan.tokens(), h = plan.model.hidden, v = plan.model.vocabulary,
               slow = device.sustained_slowdown;
  const machine::GemmRun run = machine::in_stream(device);
  const auto product = [&](double m, double n, double k) {
    return slow * machine::gemm_seconds(device, {.m = m, .n = n, .k = k, .type = plan.precision}, run);
  };
  StepTimes all;
  all.layer.cells = cells(device, plan, h);
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

/// Matrices and biases of a layer.
double cell_parameters(const StepPlan& plan, std::uint32_t layer) {
  // Two biases per gate, as cuDNN has them.
  return kGates * plan.model.hidden * (input_width(plan, layer) + plan.model.hidden + 2);
}

/// Parameters that a token passes, without those that are looked up.
double active_lstm_parameters(const StepPlan& plan) {
  const double hidden = plan.model.hidden, first = plan.lstm->input;
  return kGates * hidden * (first + hidden + (plan.layers() - 1) * 2 * hidden) + plan.model.vocabulary * hidden;
}

class LstmLayers final : public LayerModel {
 public:
  /// An LSTM is divided by layers and by data.
  [[nodiscard]] std::optional<machine::Violation> find_violation(const StepPlan& plan) const override {
    const auto wrong = [](const char* field) {
      return machine::Violation{field, "is for transformers: an LSTM is divided by layers (pipeline) and by data",
                                "leave it out"};
    };
    if (plan.job.tensor > 1) return wrong("parallelism.tensor");
    if (plan.job.context > 1) return wrong("parallelism.context");
    if (plan.job.expert > 1) return wrong("parallelism.expert");
    if (plan.job.sequence_parallel) return wrong("parallelism.sequence");
    if (plan.job.recomputation == Recomputation::selective)
      return machine::Violation{"lstm.recompute", "is none or full: there are no scores to leave out",
                                "recompute: none"};
    return std::nullopt;
  }

  [[nodiscard]] StepTimes times(const Catalog& catalog, const machine::Device& device,
                                const StepPlan& plan) const override {
    return lstm_times(catalog, device, plan);
  }
  [[nodiscard]] double flop_per_token(const StepPlan& plan) const override { return 6 * active_lstm_parameters(plan); }

  [[nodiscard]] RankParameters parameters(const StepPlan& plan, std::uint32_t layer) const override {
    return {.replicated = cell_parameters(plan, layer)};
  }
  [[nodiscard]] double embedding_parameters(const StepPlan& plan) const override {
    return plan.model.vocabulary * plan.lstm->input;
  }
  /// The first layer counts as the others do, which are as wide or wider.
  [[nodiscard]] double gathered_parameters(const StepPlan& plan, std::uint32_t /*layer*/) const override {
    return cell_parameters(plan, 1);
  }
  [[nodiscard]] double saved_bytes(const StepPlan& plan, std::uint32_t layer, Recomputation recomputed) const override {
    const double element = machine::bytes_of(plan.precision);
    if (recomputed == Recomputation::full) return element * plan.tokens() * input_width(plan, layer);
    // Gates, cell and state besides the input.
    return element * plan.tokens() * (input_width(plan, layer) + (kGates + 2) * plan.model.hidden);
  }

  void forward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, std::string_view pass,
               double PassTimes::*time) const override {
    writer.half(label(layer, pass), of(times, layer).*time);
  }
  void backward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, bool with_weights) const override {
    matrices_backward(writer, label(layer, "backward"), of(times, layer), with_weights);
  }
  void weight_gradient(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer) const override {
    writer.compute({static_cast<std::int32_t>(layer), "weights"}, of(times, layer).weight_gradient);
  }

 private:
  static ItemName label(std::uint32_t layer, std::string_view pass) {
    return {static_cast<std::int32_t>(layer), "cells", pass};
  }
  static const PassTimes& of(const LayerTimes& times, std::uint32_t layer) {
    return layer == 0 ? times.first_cells : times.cells;
  }
};

}  // namespace

const LayerModel& lstm_layers() {
  static const LstmLayers layers;
  return layers;
}

}  // namespace orrery::llm
