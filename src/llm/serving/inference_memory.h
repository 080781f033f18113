// Memory of a rank that serves: weights, the cache of keys and values, and what the pass at hand needs.
#pragma once

#include <cstdint>

#include "llm/serving/inference_plan.h"
#include "llm/steps/step_memory.h"

namespace orrery::llm {

struct InferenceMemory {
  double weights = 0;
  double cache = 0;      ///< of all requests of the replica at once
  double workspace = 0;  ///< a layer's activations of the largest prefill, logits, buffers of libraries
  double unused = 0;     ///< fragmentation

  double cache_per_request = 0;

  [[nodiscard]] double sum() const { return weights + cache + workspace + unused; }
};

/// Static batches: when the last token is made. Continuous ones: pages are taken as they are needed, so that requests
/// hold their mean.
InferenceMemory inference_memory(const InferencePlan& plan, const MemoryOptions& options, std::uint32_t stage);

}  // namespace orrery::llm
