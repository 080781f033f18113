// What one rank of a stage does in one pass of one micro-batch through its part of the model, and before and after all
// passes: computing and collectives, in order.
#pragma once

#include <cstdint>

#include "llm/steps/layer_model.h"
#include "llm/steps/layer_writer.h"
#include "llm/steps/pipeline_order.h"
#include "llm/steps/step_plan.h"

namespace orrery::llm {

/// Which pass of a part; the first and the last micro-batch also look after parameters and gradients.
struct PartPass {
  Pass pass = Pass::forward;
  std::uint32_t part = 0;
  bool is_first = false;  ///< of the part's forward passes
  bool is_last = false;   ///< of those that add to the part's gradients
};

/// Makes schedules for one plan; references must outlive it.
class LayerSchedules {
 public:
  LayerSchedules(const StepPlan& plan, const StepTimes& times) : plan_(plan), times_(times) {}

  /// Collectives over one rank and work that takes no time are left out.
  [[nodiscard]] LayerSchedule make(const PartPass& place) const;
  /// Before the first pass of a stage, and beside it: a sharded optimizer's parameters come together, in the order in
  /// which they are needed.
  [[nodiscard]] LayerSchedule begin_of_step(std::uint32_t stage) const;
  /// After the last pass of a stage: what is left of reducing gradients, their norm, the optimizer, and parameters that
  /// are not gathered later.
  [[nodiscard]] LayerSchedule end_of_step(std::uint32_t stage) const;
  /// What goes from stage to stage, per rank.
  [[nodiscard]] std::int64_t message_bytes() const;

 private:
  const StepPlan& plan_;
  const StepTimes& times_;
};

/// Of a part of the model, on one rank.
RankParameters part_parameters(const StepPlan& plan, std::uint32_t part);

}  // namespace orrery::llm
