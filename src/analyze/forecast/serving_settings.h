// One engine at other rates of arrival, and under other settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/forecast/serving_sheets.h"
#include "base/result.h"
#include "llm/engine/serving_plan.h"

namespace orrery::analyze {

/// Arrivals stretched about the first, so that (requests - 1) / (last - first arrival) is the rate. An Error: all
/// arrive at one moment, or would for longer than times can tell.
Status stretch_arrivals(llm::Requests& requests, double rate_per_s);

/// A run per rate, in order, with intervals where the costs have them. The Error of the first that cannot go on.
Result<std::vector<ServingSetting>> run_rates(const llm::ServingPlan& plan, const llm::Requests& requests,
                                              const llm::CostRange& costs, const std::vector<double>& rates);

/// An interval takes two dozen runs more: the settings that lead a sweep have one.
inline constexpr std::size_t kSettingsWithInterval = 10;

struct SettingsRun {
  std::vector<ServingSetting> settings;  ///< best goodput first, per device where their number differs
  std::size_t impossible = 0;            ///< some request cannot be served under them
  std::string first_impossible;
};

/// What steps cost on so many ranks, and what the cache has.
struct ShapeCost {
  double tensor = 1;
  double replicas = 0;  ///< 0: any
  std::optional<llm::CostRange> costs = {};
  std::uint32_t kv_blocks = 0;
};

/// Every setting with every other; `costs` has an entry per value of space.tensor and, where costs depend on them, of
/// space.replicas; otherwise one. A shape without costs is impossible, as `why_not` says.
Result<SettingsRun> run_settings(const llm::ServingPlan& plan, const llm::ServingSpace& space,
                                 const llm::Requests& requests, const std::vector<ShapeCost>& costs,
                                 const std::string& why_not);

}  // namespace orrery::analyze
