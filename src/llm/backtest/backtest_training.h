// From a row about training to the step model of its framework.
#pragma once

#include <optional>

#include "llm/backtest/backtest_row.h"
#include "llm/backtest/backtest_sources.h"
#include "llm/catalog.h"
#include "llm/closed_forms/eager_step.h"

namespace orrery::llm {

/// The shape of the row's model: as the row gives it, else by its name; none if neither is known.
std::optional<Architecture> architecture_of(const Catalog& catalog, const Source& source, const BacktestRow& row);

/// The parallelism of the row, with what is usual for its source; batch sizes as given.
ParallelJob job_of(const Source& source, const BacktestRow& row);

/// The format of a row's products: the text of its column, else what is usual for its source.
machine::DataType precision_called(const Source& source, std::string text);

/// Of a row about one device; none if the row does not say enough.
std::optional<EagerModel> eager_model_of(const BacktestRow& row);
std::optional<EagerTraining> eager_training_of(const BacktestRow& row);

/// Seconds of a step; none if the row does not say enough. Micro-batches that the row does not name: the best of 1, 2,
/// 4 and 8.
std::optional<double> row_step_seconds(const Catalog& catalog, const Source& source, const machine::Device& device,
                                       const BacktestRow& row);

}  // namespace orrery::llm
