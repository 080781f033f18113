// What a step asks of its layers: times, parameters, bytes that they keep, and what a pass through one of them runs. A
// new kind of layer is one new LayerModel, and a line in layer_model().
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "llm/catalog.h"
#include "llm/steps/layer_writer.h"
#include "llm/steps/step_plan.h"

namespace orrery::llm {

/// Seconds of computing on one rank for one micro-batch. Communication is not in it.
struct PassTimes {
  double forward = 0;
  double input_gradient = 0;
  double weight_gradient = 0;  ///< what only the optimizer waits for: zero-bubble pipelines run it apart
  double recomputed = 0;       ///< again before the backward pass, as the plan says

  [[nodiscard]] double backward() const { return input_gradient + weight_gradient; }
  PassTimes& operator+=(const PassTimes& other) {
    forward += other.forward;
    input_gradient += other.input_gradient;
    weight_gradient += other.weight_gradient;
    recomputed += other.recomputed;
    return *this;
  }
};

/// Each kind of layer fills in what it has; the rest stays 0.
struct LayerTimes {
  PassTimes queries;  ///< norm, and projections to queries, keys and values
  PassTimes core;     ///< scores and their use
  PassTimes output;   ///< projection back, and residual sum
  PassTimes mlp;      ///< of a layer without experts
  PassTimes router;   ///< choosing experts, and sorting tokens by them where nobody else does
  PassTimes sorting;  ///< tokens by experts, and back, beside the exchange that it is a part of
  PassTimes experts;  ///< of the rank
  PassTimes shared_expert;
  PassTimes host;         ///< launching all of a layer with experts, which takes at least as long
  PassTimes cells;        ///< of an LSTM
  PassTimes first_cells;  ///< of its first layer, whose input is as wide as an embedding
};

struct StepTimes {
  LayerTimes layer;
  PassTimes embedding;
  PassTimes head;          ///< with the loss
  double micro_batch = 0;  ///< of software, once per micro-batch and stage
  double chunk = 0;        ///< of software, once per micro-batch and part of the model
  double optimizer_per_parameter = 0;
  double step = 0;  ///< of software, once
};

/// Parameters on one rank.
struct RankParameters {
  double replicated = 0;  ///< every rank of the data group has them
  double experts = 0;     ///< only replicas of the same experts do

  RankParameters& operator+=(const RankParameters& other) {
    replicated += other.replicated;
    experts += other.experts;
    return *this;
  }
};

/// One kind of layer. Layers are numbered through the model. The plan must have no violation, but for
/// find_violation().
class LayerModel {
 public:
  virtual ~LayerModel() = default;

  /// The first rule that a plan with such layers breaks.
  [[nodiscard]] virtual std::optional<machine::Violation> find_violation(const StepPlan& plan) const = 0;
  /// Whether the software's constants were fitted on such layers.
  [[nodiscard]] virtual bool is_known_to(Software software) const { return software != Software::pytorch_fsdp; }

  [[nodiscard]] virtual StepTimes times(const Catalog& catalog, const machine::Device& device,
                                        const StepPlan& plan) const = 0;
  /// Operations of the model per token, without what is recomputed: see model_flop().
  [[nodiscard]] virtual double flop_per_token(const StepPlan& plan) const = 0;

  [[nodiscard]] virtual RankParameters parameters(const StepPlan& plan, std::uint32_t layer) const = 0;
  /// Of the embedding, on one rank.
  [[nodiscard]] virtual double embedding_parameters(const StepPlan& plan) const = 0;
  /// That are whole on a rank while the layer runs, where ZeRO has them sharded.
  [[nodiscard]] virtual double gathered_parameters(const StepPlan& plan, std::uint32_t layer) const {
    const RankParameters all = parameters(plan, layer);
    return all.replicated + all.experts;
  }

  /// Kept on one rank for the backward pass of one layer and micro-batch, if so much is recomputed.
  [[nodiscard]] virtual double saved_bytes(const StepPlan& plan, std::uint32_t layer,
                                           Recomputation recomputed) const = 0;

  /// A forward pass: of the pass itself, or `time` of what is run again before the backward pass; `pass` names it.
  virtual void forward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, std::string_view pass,
                       double PassTimes::*time) const = 0;
  /// Gradients of inputs, and of weights if those are not run apart; not what is recomputed whole.
  virtual void backward(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer, bool with_weights) const = 0;
  /// Gradients of weights, run apart.
  virtual void weight_gradient(LayerWriter& writer, const LayerTimes& times, std::uint32_t layer) const = 0;
};

/// That of a layer; and the one that says most about the plan as a whole.
const LayerModel& layer_model(const StepPlan& plan, std::uint32_t layer);
const LayerModel& layer_model(const StepPlan& plan);

/// The kinds there are: a transformer's, without and with experts, and an LSTM's.
const LayerModel& dense_layers();
const LayerModel& expert_layers();
const LayerModel& lstm_layers();

/// Of software that runs Megatron Core's layers or ones like them.
const CoreConstants& core_constants(const Catalog& catalog, Software software);

/// Of a transformer, by the constants of the plan's software: what kernels take and what software adds.
StepTimes transformer_times(const Catalog& catalog, const machine::Device& device, const StepPlan& plan);

/// Device time of the parts of a step.
StepTimes step_times(const Catalog& catalog, const machine::Device& device, const StepPlan& plan);

/// The first rule that the plan breaks, with the field as a configuration calls it: "parallelism.tensor".
std::optional<machine::Violation> find_plan_violation(const StepPlan& plan);

/// Operations of the model in a step, without what is recomputed, all ranks together: 6 per parameter that a token
/// passes, and 12 x layers x width x sequence of attention (Chowdhery et al., PaLM, appendix B: not halved for the
/// causal mask). The numerator of MFU.
double model_flop(const StepPlan& plan);

/// Kept for the backward pass of one layer and micro-batch, on one rank, as the plan recomputes.
double saved_bytes(const StepPlan& plan, std::uint32_t layer);

/// What is recomputed a little is part of the backward pass; what is recomputed whole is a forward pass of its own.
double backward_seconds(const StepPlan& plan, const PassTimes& times);
/// Half a layer of a few matrices, of which the first is multiplied while gradients of inputs are summed.
void matrices_backward(LayerWriter& writer, const ItemName& label, const PassTimes& times, bool with_weights);

}  // namespace orrery::llm
