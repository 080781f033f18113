// Planned inference as a workload: a program per stage, in which every round of rounds_of() goes through all of its
// micro-batches.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "llm/serving/inference_plan.h"
#include "llm/serving/inference_times.h"
#include "workload/workload.h"

namespace orrery::llm {

struct InferenceWorkload {
  workload::Workload workload;
  std::vector<std::uint32_t> begins;  ///< by round: the first activity of the first stage's program that belongs to it
  std::vector<std::vector<std::uint32_t>>
      ends;  ///< by round and micro-batch: the activity of the last stage's program that ends it
};

/// Ranks are laid out as lay_out() says; replicas do the same without speaking to one another, except through experts
/// that they share. A request's next token waits for its last one: from the last stage it goes back to the first.
/// `times` has an entry per round. `plan` must have no violation.
Result<InferenceWorkload> inference_workload(const InferencePlan& plan, const std::vector<Round>& rounds,
                                             const std::vector<VisitTimes>& times);

}  // namespace orrery::llm
