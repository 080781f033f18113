// Peak of allocated memory, without the context of the driver: of one device in eager PyTorch, and of the fullest rank
// of a job with tensor, pipeline and data parallelism.
#pragma once

#include "llm/closed_forms/eager_step.h"
#include "llm/frameworks.h"
#include "llm/steps/parallel_job.h"

namespace orrery::llm {

/// Three matrices in the MLP, untied embedding and head.
struct ShardedModel {
  double layers = 0, hidden = 0, ffn = 0, vocabulary = 0;
};

/// Bytes: the larger of the first stage, which holds the activations of a whole pipeline's micro-batches, and the last,
/// which holds the logits.
double fullest_rank_bytes(const ShardMemoryConstants& constants, const ShardedModel& model, const ParallelJob& job);

/// Activations of the first stage, in bytes, by the closed form of Korthikanti et al.: "Reducing activation
/// recomputation in large transformer models", 2022 (fp16, with dropout masks).
double activation_bytes(double layers, double hidden, double heads, const ParallelJob& job);
/// fp16 weights and gradients, fp32 master weights, gradients and both states of Adam, per rank: as in the same paper.
double state_bytes(double layers, double hidden, double vocabulary, const ParallelJob& job);

/// Held per logit while the loss is computed: bf16 logits 2, fp32 4, log-softmax 4, its gradient 4.
inline constexpr double kLogitsHeldBytes = 14;

/// Bytes. The larger of three moments: at the loss (saved activations and logits), in the first block's backward pass
/// (nearly all gradients), and in the optimizer.
double training_peak_bytes(const EagerConstants& constants, const EagerModel& model, const EagerTraining& training);

/// Bytes: weights, cache, what one block needs, the last logits, and workspaces that earlier graph captures of the
/// process left.
double inference_peak_bytes(const EagerConstants& constants, const EagerModel& model, double batch, bool decode);

}  // namespace orrery::llm
