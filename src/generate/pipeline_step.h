// Steps of training with tensor, pipeline and data parallelism, in the 1F1B order: a program per pipeline stage,
// whatever the number of ranks.
#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/units.h"
#include "workload/source.h"
#include "workload/workload.h"

namespace orrery::generate {

/// Ranks are laid out as Megatron-LM does: neighbours are a tensor group, then comes data, then the pipeline.
struct PipelineStep {
  std::uint32_t tensor_parallel = 1;
  std::uint32_t data_parallel = 1;
  std::uint32_t pipeline_parallel = 2;   ///< stages
  std::uint32_t microbatches = 8;        ///< per data-parallel rank
  std::uint32_t layers = 24;             ///< of the whole model: a multiple of the stages
  std::uint32_t kernels_per_layer = 16;  ///< of one forward pass on one rank; backward has twice as many, each as long
  TimePs forward_ps = 1000 * kPsPerUs;   ///< compute of one layer for one microbatch on one rank
  TimePs optimizer_ps = 500 * kPsPerUs;
  std::int64_t activation_bytes =
      16 << 20;  ///< of one microbatch: reduced twice per layer and direction in the tensor group, and handed on
  std::int64_t gradient_bytes =
      50 << 20;             ///< of one layer on one rank: reduced over the data group after the last microbatch
  std::uint64_t steps = 1;  ///< one after the other: a stage begins the next when its optimizer is done
};

/// Roles "tensor", "data", "pipeline" and "model" (tensor and pipeline together: all that holds one copy of the
/// parameters).
///
/// Stage s runs min(stages - 1 - s, microbatches) forward passes, then one forward and one backward in turn, then the
/// backward passes that are left (PipeDream-Flush: Narayanan et al., Memory-efficient pipeline-parallel DNN training,
/// 2021). It waits for what it receives, not for what it sends. Gradients of a layer are reduced beside the last
/// backward pass; then the norm of all of them over the model group, and the optimizer. What has one rank is left out.
/// An Error for no ranks, layers that stages do not divide, or a number out of range.
Result<workload::Workload> pipeline_step(const PipelineStep& step);

/// The same step after step, each made when it is needed: a window of a stage's program is what it does in one step.
Result<std::unique_ptr<workload::WorkloadSource>> pipeline_source(const PipelineStep& step);

}  // namespace orrery::generate
