// A training step of Megatron-Core (2024 and later): flash attention, fused element-wise kernels, tensor with sequence parallelism, interleaved
// 1F1B, experts spread over devices, distributed optimizer, FP8 and FP4.
#pragma once

#include "llm/architecture.h"
#include "llm/core_constants.h"
#include "llm/parallel_job.h"
#include "machine/device.h"

namespace orrery::llm {

/// Which software, in which number format.
struct CoreRun {
  machine::DataType precision = machine::DataType::bf16;
  double release_year = 0, release_month = 0;  ///< of the container: 26, 6; 0: before all that differ
  bool adapters_only = false;                  ///< LoRA
};

/// What the format gains; of one that is not listed, what bf16, the first, does.
const CorePrecision& precision_of(const CoreConstants& constants, machine::DataType type);

/// Seconds.
double core_step_seconds(const machine::Device& device, const CoreConstants& constants, const Architecture& model, const ParallelJob& job,
                         const CoreRun& run);

}  // namespace orrery::llm
