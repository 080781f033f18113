// Memory of the fullest rank of a job with tensor, pipeline and data parallelism.
#pragma once

#include "llm/steps/parallel_job.h"
#include "llm/steps/shard_memory_constants.h"

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

}  // namespace orrery::llm
