// One published measurement: a row of a table with the columns of docs/LLM.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/io/csv.h"
#include "llm/steps/parallel_job.h"

namespace orrery::llm {

/// Numbers that the row does not give are none.
struct BacktestRow {
  std::string id, dataset, phase, device, model, metric, unit, precision, notes;
  std::optional<double> layers, hidden, heads, kv_heads, ffn, vocabulary;
  std::optional<double> sequence, output_tokens, global_batch, micro_batch, devices;
  double tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1;
  std::optional<double> interleave;
  int zero_stage = 0;
  bool sharded = false;
  bool sequence_parallel = false;
  Recomputation recomputation = Recomputation::none;
  std::optional<double> measured;

  using Number = std::optional<double> BacktestRow::*;
  [[nodiscard]] bool has(std::initializer_list<Number> numbers) const;
};

/// A cell that should hold a number and does not is counted, and taken for empty. An Error if a column is missing
/// without which no row can be told from another: id, dataset, phase, gpu, metric, unit.
Result<std::vector<BacktestRow>> backtest_rows(const CsvTable& table, Diagnostics& diagnostics);

}  // namespace orrery::llm
