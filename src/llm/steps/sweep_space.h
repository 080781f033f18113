// All ways to cut a model up for a number of devices that make sense.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "llm/steps/step_plan.h"

namespace orrery::llm {

/// What is tried for each choice. An empty list: what the model and the devices leave open (the divisors of heads,
/// layers, experts, ...); of the rest what the plan says.
struct SweepSpace {
  std::vector<std::int64_t> tensor = {}, context = {}, pipeline = {}, expert = {}, chunks = {}, micro_batch = {},
                            zero = {};
  std::vector<Recomputation> recompute = {};
  std::vector<PipelineOrder> order = {};
};

struct SweepPlans {
  std::vector<StepPlan> plans;                           ///< without violations, in the order of the choices
  std::map<std::string, std::uint64_t> impossible = {};  ///< by the rule that they break: how many
};

/// `base` has the model, the batch, the sequence and the number of devices; data parallelism takes the devices that are
/// left. Sequence parallelism goes with tensor parallelism if the base has it, or the model has experts.
SweepPlans sweep_plans(const StepPlan& base, const SweepSpace& space);

}  // namespace orrery::llm
