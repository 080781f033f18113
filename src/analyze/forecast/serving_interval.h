// How far a run of a serving engine may be off: by the kernels of its steps, and by the chance of its arrivals.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "analyze/forecast/serving_sheets.h"
#include "base/result.h"
#include "llm/engine/serving_plan.h"

namespace orrery::analyze {

/// Arrivals of a law are drawn so many times more.
inline constexpr std::size_t kArrivalSeeds = 20;

/// Number `i` of these.
llm::Requests draw_again(const llm::ArrivalLaw& law, std::size_t i);

/// From where to where 8 of 10 would lie, for two causes that are independent: their distances add up as squares.
struct Reach {
  double low = 0, high = 0;
};
/// `by_steps`: at the ends of what steps cost; `by_arrivals`: of other draws, ascending; empty: there is no such cause.
Reach reach_of(double middle, std::span<const double> by_steps, std::span<const double> by_arrivals);

struct IntervalInput {
  const llm::ServingPlan& plan;
  const llm::Requests& requests;
  llm::CostRange costs;                       ///< with ends
  std::optional<double> arrivals_per_s = {};  ///< to what arrivals were stretched, as those of other draws are to be
};

/// The same requests at both ends of what steps cost and, where arrivals come from a law, others of the same law at the
/// middle.
Result<ServingInterval> serving_interval(const IntervalInput& input, const ServingSummary& middle);

}  // namespace orrery::analyze
