// Device time of the parts of a step: what llm/closed_forms/pass_times and llm/steps/lstm make, and passages are made
// from.
#pragma once

namespace orrery::llm {

/// Seconds on one rank for one micro-batch.
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

struct LayerTimes {
  PassTimes queries;  ///< norm, and projections to queries, keys and values
  PassTimes core;     ///< scores and their use
  PassTimes output;   ///< projection back, and residual sum
  PassTimes mlp;      ///< of a layer without experts
  PassTimes router;   ///< choosing experts, and sorting tokens by them
  PassTimes experts;  ///< of the rank
  PassTimes shared_expert;
  PassTimes first_cells;  ///< of an LSTM's first layer, whose input is as wide as an embedding; of the others: mlp
};

struct StepTimes {
  LayerTimes layer;
  PassTimes embedding;
  PassTimes head;          ///< with the loss
  double micro_batch = 0;  ///< of software, once per micro-batch and stage
  double optimizer_per_parameter = 0;
};

}  // namespace orrery::llm
