// A training step of Megatron-Core (2024 and later): flash attention, fused element-wise kernels, tensor with sequence
// parallelism, interleaved 1F1B, experts spread over devices, distributed optimizer, FP8 and FP4.
#pragma once

#include "llm/architecture.h"
#include "llm/frameworks.h"
#include "llm/steps/parallel_job.h"
#include "machine/device/device.h"

namespace orrery::llm {

/// The work of Megatron-Core's layers on one rank, before the framework's constants: seconds of kernels at their
/// stand-alone speed, bytes, counts. Of one pipeline stage and micro-batch, unless said otherwise.
struct CoreWork {
  double layers = 0;  ///< with those of multi-token prediction
  double expert_layers = 0;
  double local_experts = 0;   ///< per layer and rank
  double dense_products = 0;  ///< seconds
  double expert_products = 0;
  double attention = 0;     ///< seconds at the bf16 peak
  double elementwise = 0;   ///< seconds at the rates of eager kernels
  double permute_pass = 0;  ///< seconds of one pass over routed tokens
  double activation_pass = 0;
  double head_products = 0;  ///< seconds, of the whole pipeline's one head
  double head_elementwise = 0;
  double heads = 1;            ///< with those of multi-token prediction
  double tensor_bytes = 0;     ///< one collective of a layer
  double rank_parameters = 0;  ///< that are reduced over replicas, but for experts
  double rank_expert_parameters = 0;
  double optimizer_parameters = 0;
  double model_parameters = 0;
};
CoreWork core_work(const machine::Device& device, const Architecture& model, const ParallelJob& job,
                   double logit_bytes);

/// All-to-all of one layer and micro-batch: dispatch and combine, forward and backward.
struct ExchangeBytes {
  double inside = 0;  ///< the scale-up domain
  double across = 0;  ///< domains, where a token is sent once per remote domain
};
ExchangeBytes exchange_bytes(const machine::Device& device, double tokens, double width, const Experts& experts,
                             const ParallelJob& job, double token_bytes);

/// Which software, in which number format.
struct CoreRun {
  machine::DataType precision = machine::DataType::bf16;
  SoftwareRelease release = {};  ///< of the container
  bool adapters_only = false;    ///< LoRA
  Captured captured = Captured::nothing;
  bool pairs = false;  ///< Overlap::experts
};

/// Seconds.
double core_step_seconds(const machine::Device& device, const CoreConstants& constants, const Architecture& model,
                         const ParallelJob& job, const CoreRun& run);

}  // namespace orrery::llm
