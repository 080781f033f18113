// A row about serving: which of latency, time per token, time to the first token or throughput it measured.
#pragma once

#include <optional>

#include "llm/architecture.h"
#include "llm/backtest_row.h"
#include "llm/serving_constants.h"
#include "machine/device.h"

namespace orrery::llm {

/// In the unit of the row; none if the row has no sequence or its metric is not known.
std::optional<double> serving_value(const ServingConstants& constants, const machine::Device& device, const Architecture& model,
                                    const BacktestRow& row);

}  // namespace orrery::llm
