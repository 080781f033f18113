// Predicts published measurements from their configurations, and says how far off it is.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "llm/backtest/row_models.h"
#include "llm/backtest/rows.h"
#include "llm/catalog.h"
#include "report/sheet.h"

namespace orrery::llm {

// How far predictions are from measurements.

struct ErrorSummary {
  std::size_t rows = 0;
  double mean_pct = 0;    ///< of the absolute errors
  double median_pct = 0;  ///< of the absolute errors
  double bias_pct = 0;    ///< mean of the signed errors
};

/// Of signed errors in percent; all 0 without any.
ErrorSummary summarise_errors(const std::vector<double>& errors_pct);

/// (predicted / measured - 1) in percent. `measured` must not be 0.
double error_pct(double predicted, double measured);

struct Prediction {
  std::string kind = {};             ///< which model made it, of what: "fsdp iteration_time", "eager decode"
  std::optional<double> value = {};  ///< in the unit of the row; none: the row does not say enough, which is counted
  std::optional<double> low =
      {};  ///< eight of ten published measurements of the kind lay between low and high, if there are enough
  std::optional<double> high = {};
  std::optional<double> peak_bytes = {};
  bool out_of_memory = false;  ///< where the peak is known
};

/// Seconds of a step by another model than the closed forms; none: it has no answer.
using StepModel = std::function<std::optional<double>(const machine::Device& device, const RowPlans& plans)>;

/// In the order of the rows. A row that cannot be predicted is counted, by the reason. With a `step_model`, rows that
/// are plans are asked of it; their kind is then "schedule ...".
std::vector<Prediction> predict(const Catalog& catalog, const std::vector<BacktestRow>& rows, Diagnostics& diagnostics,
                                const StepModel& step_model = {});

/// Errors per data set, of rows that were measured and predicted.
std::map<std::string, ErrorSummary> errors_by_dataset(const std::vector<BacktestRow>& rows,
                                                      const std::vector<Prediction>& predictions);

/// "rows": id, kind, predicted, low, high, unit, oom, peak_gib; the last two are null where memory is not modelled.
report::Sheet prediction_sheet(const std::vector<BacktestRow>& rows, const std::vector<Prediction>& predictions);
/// "datasets": dataset, rows, and mape, median and bias of the errors in percent.
report::Sheet dataset_sheet(const std::map<std::string, ErrorSummary>& errors);

}  // namespace orrery::llm
