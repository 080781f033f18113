// Peak of allocated memory on one device in eager PyTorch, without the context of the driver.
#pragma once

#include "llm/closed_forms/eager_step.h"

namespace orrery::llm {

/// Held per logit while the loss is computed: bf16 logits 2, fp32 4, log-softmax 4, its gradient 4.
inline constexpr double kLogitsHeldBytes = 14;

/// Bytes. The larger of three moments: at the loss (saved activations and logits), in the first block's backward pass
/// (nearly all gradients), and in the optimizer.
double training_peak_bytes(const EagerConstants& constants, const EagerModel& model, const EagerTraining& training);

/// Bytes: weights, cache, what one block needs, the last logits, and workspaces that earlier graph captures of the
/// process left.
double inference_peak_bytes(const EagerConstants& constants, const EagerModel& model, double batch, bool decode);

}  // namespace orrery::llm
