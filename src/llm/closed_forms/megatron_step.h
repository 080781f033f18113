// A training step of Megatron as of 2021 and 2022 (Narayanan et al., SC 2021; Korthikanti et al., 2022): no flash
// attention, tensor and sequence parallelism inside a node, 1F1B pipelines with interleaving, data parallelism over the
// network, ZeRO-3.
#pragma once

#include "llm/frameworks.h"
#include "llm/steps/parallel_job.h"
#include "machine/device/device.h"

namespace orrery::llm {

/// A GPT: ffn and vocabulary as given, two matrices in the MLP.
struct MegatronModel {
  double layers = 0, hidden = 0, heads = 0, ffn = 0, vocabulary = 0;
  bool fp32_gradients = false;  ///< bf16 training: gradients are accumulated and reduced in fp32
};

/// Seconds.
double megatron_step_seconds(const machine::Device& device, const MegatronConstants& constants,
                             const MegatronFlavour& flavour, const Cluster& cluster, const MegatronModel& model,
                             const ParallelJob& job);

}  // namespace orrery::llm
