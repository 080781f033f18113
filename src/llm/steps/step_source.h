// A planned training step as a workload: a program per pipeline stage, whatever the number of ranks, made in windows as
// it is executed.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "llm/steps/layer_schedule.h"
#include "llm/steps/layer_writer.h"
#include "llm/steps/pipeline_order.h"
#include "llm/steps/step_plan.h"
#include "workload/source.h"

namespace orrery::llm {

/// A step, and where its passes end.
class StepSource : public workload::WorkloadSource {
 public:
  /// By pass of the stage: the number of activities of its program up to and with the pass.
  [[nodiscard]] virtual const std::vector<std::uint64_t>& pass_ends(std::uint32_t stage) const = 0;
};

/// Ranks are laid out as lay_out() says.
///
/// A stage waits for what it receives, not for what it sends. Ids of activities count through the step, so that they
/// are the same whatever prices communication. `plan` must have no violation; `orders` is that of pipeline_orders().
Result<std::unique_ptr<StepSource>> step_source(const StepPlan& plan, const StepTimes& times,
                                                std::vector<std::vector<PassItem>> orders);

/// The same step, all of it in memory: what collect() makes of the source, without windows on the way.
struct StepWorkload {
  workload::Workload workload;                        ///< a program per stage
  std::vector<std::vector<std::uint64_t>> pass_ends;  ///< by stage: as StepSource::pass_ends
};
Result<StepWorkload> step_workload(const StepPlan& plan, const StepTimes& times,
                                   std::vector<std::vector<PassItem>> orders);

/// About how long passes of each stage take, computing alone: for the order of a zero-bubble pipeline.
std::vector<PassDurations> compute_durations(const StepPlan& plan, const StepTimes& times);

}  // namespace orrery::llm
