// Memory of a rank while a step runs: what stays, what each micro-batch in flight keeps, and when that is most.
#pragma once

#include <cstdint>
#include <vector>

#include "llm/steps/layer_schedule.h"
#include "llm/steps/pipeline_order.h"
#include "llm/steps/step_plan.h"

namespace orrery::llm {

/// Bytes, by what they are for.
struct MemoryParts {
  double weights = 0;
  double gradients = 0;
  double optimizer = 0;    ///< states, and fp32 copies of weights
  double activations = 0;  ///< kept for backward passes
  double workspace =
      0;  ///< what the pass at hand needs besides: logits, a layer that is recomputed or gathered, buffers of libraries
  double unused = 0;  ///< what the allocator cannot hand out: fragmentation

  [[nodiscard]] double sum() const { return weights + gradients + optimizer + activations + workspace + unused; }
};

struct MemoryOptions {
  double optimizer_bytes = 12;        ///< per parameter: fp32 weights and both states of Adam
  double library_bytes = 0.75e9;      ///< workspaces of libraries and of communication
  double fragmentation_share = 0.03;  ///< of all that is allocated
};

/// While one pass runs.
struct MemoryMoment {
  PassItem item;
  double activations = 0;
  double workspace = 0;
};

/// One rank of a stage.
struct StageMemory {
  MemoryParts peak;                   ///< at the fullest moment
  std::size_t peak_item = 0;          ///< which of the stage's passes that is
  std::vector<MemoryMoment> moments;  ///< by pass
};

/// `order` is that of the stage.
StageMemory stage_memory(const StepPlan& plan, const MemoryOptions& options, std::uint32_t stage,
                         const std::vector<PassItem>& order);

/// The same peak without the moments, from the number of micro-batches that are in flight at most: for sweeps.
MemoryParts peak_memory(const StepPlan& plan, const MemoryOptions& options, std::uint32_t stage);

}  // namespace orrery::llm
