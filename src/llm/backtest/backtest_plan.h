// From a row about training to a plan that can be run: what the step models of backtest_training.h do in closed form,
// as a schedule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llm/backtest/backtest_row.h"
#include "llm/backtest/backtest_sources.h"
#include "llm/catalog.h"
#include "llm/steps/step_plan.h"

namespace orrery::llm {

/// Where a row ran, as far as a network is concerned.
struct RowCluster {
  double node_devices = 8;    ///< that share a fast network
  double port_gb_per_s = 50;  ///< of each device, out of the node
};

struct RowPlans {
  std::vector<StepPlan> plans =
      {};  ///< one, or one per size of micro-batch where the row leaves it open; none: the row does not say enough
  RowCluster cluster;
};

/// Of rows of Megatron in its versions; others are not scheduled.
RowPlans row_plans(const Catalog& catalog, const Source& source, const machine::Device& device, const BacktestRow& row);

/// What predictions by schedule of such plans are called in data/accuracy: "schedule megatron iteration_time". Models
/// with experts are of a kind of their own: they are further off.
std::string schedule_kind(const StepPlan& plan);

}  // namespace orrery::llm
