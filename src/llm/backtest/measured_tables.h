// Measured kernels and collectives as rows of a back-test, so that tables of every kind are scored alike.
#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "base/io/csv.h"
#include "base/result.h"
#include "llm/backtest/backtest.h"
#include "llm/backtest/rows.h"
#include "llm/catalog.h"

namespace orrery::llm {

/// What a table says was measured, and what is predicted of it, by place.
struct ScoredTable {
  std::vector<BacktestRow> rows = {};
  std::vector<Prediction> predictions = {};
};

/// A table of kernels has the column kind, which no table of steps has.
bool is_kernel_table(const CsvTable& table);

/// Each device and kind is a data set of its own: "gemm on H100". An Error names the line of a cell that is none.
Result<ScoredTable> score_kernels(const CsvTable& table, const Catalog& catalog, Diagnostics& diagnostics);
/// Likewise: "all_reduce on H100".
Result<ScoredTable> score_collectives(const CsvTable& table, const Catalog& catalog, Diagnostics& diagnostics);
/// Serving points: the rest of the answer (ServedTimes) stands with each prediction, in milliseconds per token.
Result<ScoredTable> score_serving(const CsvTable& table, const Catalog& catalog, Diagnostics& diagnostics);

}  // namespace orrery::llm
