// How far a run of a serving engine may be off: by the kernels of its steps, and by the chance of its arrivals.
#pragma once

#include <array>
#include <optional>

#include "analyze/forecast/serving_sheets.h"
#include "base/result.h"
#include "llm/engine/serving_plan.h"

namespace orrery::analyze {

/// Arrivals of a law are drawn so many times more.
inline constexpr std::size_t kArrivalSeeds = 20;

struct IntervalInput {
  const llm::ServingPlan& plan;
  const llm::Requests& requests;
  const llm::StepCost& cost;
  const llm::StepCost& low;  ///< ends of the cost's 80 % interval
  const llm::StepCost& high;
};

/// The same requests at both ends of what steps cost and, where arrivals come from a law, others of the same law at the
/// middle. Both causes are independent: their distances from the run add up as squares.
Result<ServingInterval> serving_interval(const IntervalInput& input, const ServingSummary& middle);

}  // namespace orrery::analyze
