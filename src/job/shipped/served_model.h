// A served model divided among the ranks of a replica, and what their memory leaves for its cache.
#pragma once

#include <cstdint>
#include <optional>

#include "llm/engine/serving_plan.h"
#include "llm/serving/inference_plan.h"
#include "llm/steps/step_memory.h"
#include "machine/device/device.h"
#include "machine/machine.h"
#include "machine/yaml/field_reader.h"

namespace orrery::job {

/// What a model is served on, and by which engine.
struct ServingSite {
  const llm::ServingPlan& serving;
  const machine::Device& device;
  const machine::Machine& machine;
  const llm::MemoryOptions& memory;
};

/// Sets `tensor` ranks and, where all share their experts, `replicas` in `served`, and how many blocks the cache has
/// then, unless the plan says it. A Violation names the field of the configuration that is in the way.
std::optional<machine::Violation> divide_served(const ServingSite& site, double tensor, double replicas,
                                                llm::InferencePlan& served, std::uint32_t& kv_blocks);

}  // namespace orrery::job
