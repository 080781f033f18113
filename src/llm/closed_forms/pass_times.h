// Device time of the parts of a layer, pass by pass: what kernels take and what a framework's software adds.
// Communication is not in it.
#pragma once

#include "llm/catalog.h"
#include "llm/steps/layer_times.h"
#include "llm/steps/step_plan.h"

namespace orrery::llm {

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
