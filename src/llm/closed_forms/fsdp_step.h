// A training step with fully sharded data parallelism (ZeRO-2, ZeRO-3): every device has a replica's work and a share
// of its state.
#pragma once

#include "llm/closed_forms/eager_block.h"
#include "llm/frameworks.h"
#include "llm/steps/parallel_job.h"
#include "machine/device/device.h"

namespace orrery::llm {

struct FsdpModel {
  BlockStyle style = BlockStyle::gpt;
  double layers = 0, hidden = 0, ffn = 0, heads = 0, kv_width = 0, vocabulary = 0;
  bool mixed_precision = false;
};

/// Compute of one micro-batch, in seconds.
struct FsdpCompute {
  double attention = 0;
  double other = 0;
  double parameters = 0;  ///< matrices and embedding

  [[nodiscard]] double sum() const { return attention + other; }
};
FsdpCompute fsdp_compute(const machine::Device& device, const FsdpConstants& constants, const FsdpModel& model,
                         const ParallelJob& job);

/// Seconds. `job.data` is ignored: every device is a replica.
double fsdp_step_seconds(const machine::Device& device, const FsdpConstants& constants, const FsdpModel& model,
                         const ParallelJob& job);

/// On a box of a few devices in pairs, joined by one link that all groups across share: what combination of parallelism
/// suits it. Seconds of a llama with untied head, micro-batches of `job.micro_batch`. Ranks are numbered tensor first,
/// then context, data, pipeline.
double pair_step_seconds(const machine::Device& device, const FsdpConstants& stack, const PairConstants& constants,
                         const FsdpModel& model, const ParallelJob& job);

}  // namespace orrery::llm
