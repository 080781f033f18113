// A row about a single operator, timed by somebody else: its shape stands in the notes.
#pragma once

#include <optional>

#include "llm/backtest/rows.h"
#include "llm/measurements.h"
#include "machine/device/device.h"

namespace orrery::llm {

/// In the unit of the row: "M,K,N=16,4096,4096" is a product, in milliseconds; "dims=1024x1024" an element-wise kernel,
/// in 10^9 elements per second. None if the notes have neither.
std::optional<double> operator_value(const MeasuringMethod& method, const machine::Device& device,
                                     const BacktestRow& row);

/// Seconds of a product with a vector: one tile of rows after the other goes along k, without a split.
double vector_product_seconds(const MeasuringMethod& method, const machine::Device& device, double rows, double k);

}  // namespace orrery::llm
