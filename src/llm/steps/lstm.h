// Long short-term memory (Hochreiter and Schmidhuber, 1997) as layers of a training step: what StepPlan::lstm changes
// about times, parameters, memory.
//
// A layer multiplies the inputs of all time steps at once, then goes through time: a product with the state, four
// gates, the new state. Backward likewise; gradients of weights are products over all time steps. Weights are read
// again at every time step: persistent kernels are not modelled.
#pragma once

#include <cstdint>

#include "llm/catalog.h"
#include "llm/steps/layer_times.h"
#include "llm/steps/step_plan.h"

namespace orrery::llm {

StepTimes lstm_times(const Catalog& catalog, const machine::Device& device, const StepPlan& plan);

/// Matrices and biases of a layer.
double cell_parameters(const StepPlan& plan, std::uint32_t layer);
/// Kept for the backward pass of one layer and micro-batch; what is recomputed only if `whole`.
double saved_cell_bytes(const StepPlan& plan, std::uint32_t layer, bool whole);

}  // namespace orrery::llm
