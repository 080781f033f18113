// Rows about serving among other measurements: latency, time to the first token and per token, throughput.
#pragma once

#include "llm/backtest/rows.h"
#include "llm/catalog.h"

namespace orrery::llm {

/// By the closed loop of the stack that the row cites, with an interval; of others by data/frameworks/serving.yaml. In
/// the unit of the row; none if it has no sequence, its metric is not known or nobody knows the model.
Estimate predict_serving(const Catalog& catalog, const Source& source, const machine::Device& device,
                         const BacktestRow& row);

}  // namespace orrery::llm
