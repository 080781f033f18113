// Device time of the parts of a layer, pass by pass: what kernels take and what a framework's software adds. Communication is not in it.
#pragma once

#include "llm/catalog.h"
#include "llm/step_plan.h"

namespace orrery::llm {

/// Seconds on one rank for one micro-batch.
struct PassTimes {
  double forward = 0;
  double input_gradient = 0;
  double weight_gradient = 0;  ///< what only the optimizer waits for: zero-bubble pipelines run it apart
  double recomputed = 0;       ///< again before the backward pass, as the plan says

  [[nodiscard]] double backward() const { return input_gradient + weight_gradient; }
  PassTimes& operator+=(const PassTimes& other);
};

struct LayerTimes {
  PassTimes queries;  ///< norm, and projections to queries, keys and values
  PassTimes core;     ///< scores and their use
  PassTimes output;   ///< projection back, and residual sum
  PassTimes mlp;      ///< of a layer without experts
  PassTimes router;   ///< choosing experts, and sorting tokens by them
  PassTimes experts;  ///< of the rank
  PassTimes shared_expert;
};

struct StepTimes {
  LayerTimes layer;
  PassTimes embedding;
  PassTimes head;          ///< with the loss
  double micro_batch = 0;  ///< of software, once per micro-batch and stage
  double optimizer_per_parameter = 0;
};

StepTimes step_times(const Catalog& catalog, const machine::Device& device, const StepPlan& plan);

/// Parameters on one rank.
struct RankParameters {
  double attention = 0;   ///< of a layer, with its norms
  double mlp = 0;         ///< dense, or router and shared expert of a layer with experts
  double experts = 0;     ///< of the rank's own, per layer
  double vocabulary = 0;  ///< embedding or head
};
RankParameters rank_parameters(const StepPlan& plan, bool layer_with_experts);

}  // namespace orrery::llm
