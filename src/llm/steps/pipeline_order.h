// In which order the stages of a pipeline run their passes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "llm/steps/step_plan.h"

namespace orrery::llm {

enum class Pass : std::uint8_t { forward, backward, weight_gradient };
inline constexpr std::size_t kPasses = 3;

/// One pass of a stage.
struct PassItem {
  Pass pass = Pass::forward;
  std::uint32_t chunk = 0;
  std::uint32_t micro_batch = 0;
  bool is_paired =
      false;  ///< a forward pass that runs as one with the backward pass behind it (llm/closed_forms/paired_passes)

  friend bool operator==(const PassItem&, const PassItem&) = default;
};

/// How long passes take, about: zero-bubble schedules are made for them.
struct PassDurations {
  TimePs forward_ps = 1;
  TimePs backward_ps = 1;  ///< of the input alone, where weights are apart
  TimePs weight_gradient_ps = 1;
  TimePs message_ps = 0;
};

/// By stage. `pairs`: with 1F1B, each stage begins as many micro-batches ahead as it takes for a forward and the
/// backward pass that follows it to be of different micro-batches and to begin together
/// (llm/closed_forms/paired_passes): two per later stage and one more.
///
/// With several chunks micro-batches go in groups of as many as there are stages, chunk by chunk (Narayanan et al.,
/// Efficient large-scale language model training on GPU clusters, 2021). `durations` has one entry per stage; only
/// zero_bubble looks at it.
///
/// Zero bubble: the shorter one of two orders, for the given durations: 1F1B with weights put off (ZB-H1), and a greedy
/// one in which whatever can start earliest is next, of what starts at one moment a gradient of inputs before a forward
/// pass before a gradient of weights. In both, no stage has begun more micro-batches whose weight gradients are not
/// done than there are stages: the memory of 1F1B's first stage.
std::vector<std::vector<PassItem>> pipeline_orders(PipelineOrder order, std::uint32_t stages, std::uint32_t chunks,
                                                   std::uint32_t micro_batches,
                                                   const std::vector<PassDurations>& durations, bool pairs = false);

}  // namespace orrery::llm
