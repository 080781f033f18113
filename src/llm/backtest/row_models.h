// From a row about training to what predicts it: a plan that can be run as a schedule, and the closed form of its
// framework.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "llm/backtest/rows.h"
#include "llm/catalog.h"
#include "llm/closed_forms/eager_step.h"
#include "llm/steps/step_plan.h"

namespace orrery::llm {

/// Where a row ran, as far as a network is concerned.
struct RowCluster {
  double node_devices = 8;    ///< that share a fast network
  double port_gb_per_s = 50;  ///< of each device, out of the node
  /// Where jobs timed their own collectives: the cluster, and what this one found. Else null.
  const Cluster* rings = nullptr;
  MeasuredBus bus = {};
};

struct RowPlans {
  std::vector<StepPlan> plans =
      {};  ///< one, or one per size of micro-batch where the row leaves it open; none: the row does not say enough
  RowCluster cluster;
};

/// Of rows of Megatron in its versions, of FSDP and of nanotron; others are not scheduled.
RowPlans row_plans(const Catalog& catalog, const Source& source, const machine::Device& device, const BacktestRow& row);

/// What predictions by schedule of such plans are called in data/accuracy: "schedule megatron iteration_time". Models
/// with experts are of a kind of their own: they are further off.
std::string schedule_kind(const StepPlan& plan);

/// The shape of the row's model: as the row gives it, else by its name; none if neither is known.
std::optional<Architecture> architecture_of(const Catalog& catalog, const Source& source, const BacktestRow& row);

/// The parallelism of the row, with what is usual for its source; batch sizes as given.
ParallelJob job_of(const Source& source, const BacktestRow& row);

/// The format of a row's products: the text of its column, else what is usual for its source.
machine::DataType precision_called(const Source& source, std::string text);

/// Of a row about one device; none if the row does not say enough.
std::optional<EagerModel> eager_model_of(const BacktestRow& row);
std::optional<EagerTraining> eager_training_of(const BacktestRow& row);

/// Steps of others are known by their schedules alone.
constexpr bool has_closed_form(Framework framework) {
  return framework != Framework::nemo && framework != Framework::nanotron;
}

/// Seconds of a step by the closed form of its framework; none if there is no such form, or the row does not say
/// enough. Micro-batches that the row does not name: the best of 1, 2,
/// 4 and 8.
std::optional<double> row_step_seconds(const Catalog& catalog, const Source& source, const machine::Device& device,
                                       const BacktestRow& row);

}  // namespace orrery::llm
