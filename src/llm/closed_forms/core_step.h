// A training step of Megatron-Core (2024 and later): flash attention, fused element-wise kernels, tensor with sequence
// parallelism, interleaved 1F1B, experts spread over devices, distributed optimizer, FP8 and FP4.
#pragma once

#include "llm/architecture.h"
#include "llm/closed_forms/core_constants.h"
#include "llm/software_release.h"
#include "llm/steps/parallel_job.h"
#include "machine/device/device.h"

namespace orrery::llm {

/// Which software, in which number format.
struct CoreRun {
  machine::DataType precision = machine::DataType::bf16;
  SoftwareRelease release = {};  ///< of the container
  bool adapters_only = false;    ///< LoRA
};

/// The factors of the latest release that is not later than the run's.
CoreRelease release_of(const CoreConstants& constants, const SoftwareRelease& release);

/// On the products of experts: those of several experts on a rank are one grouped kernel; a single one is a product
/// like any other.
double grouping_factor(const CoreConstants& constants, const CoreRelease& release, double local_experts);

/// What the format gains; of one that is not listed, what bf16, the first, does.
const CorePrecision& precision_of(const CoreConstants& constants, machine::DataType type);

/// Seconds.
double core_step_seconds(const machine::Device& device, const CoreConstants& constants, const Architecture& model,
                         const ParallelJob& job, const CoreRun& run);

}  // namespace orrery::llm
