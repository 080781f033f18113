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
#include "llm/measurements.h"
#include "report/sheet.h"

namespace orrery::llm {

/// What a serving point has besides its time per token, which is its value.
struct ServedTimes {
  std::optional<double> ttft_ms = {};
};

struct Prediction : Estimate {
  std::optional<Estimate> scheduled = {};  ///< beside the closed form: what running the plan says, where a row is one
  std::optional<ServedTimes> served = {};  ///< of serving points
  std::optional<double> peak_bytes = {};
  bool out_of_memory = false;             ///< where the peak is known
  std::optional<double> unseen_pct = {};  ///< mean error of rows like it that its constants had not seen, where known
  std::string rests_on = {};              ///< the file or device whose constants and tables made it
};

/// Seconds of a step by running its schedule, as `orrery llm CONFIG` does; none: it has no answer. Called from several
/// threads.
using StepModel = std::function<std::optional<double>(const machine::Device& device, const RowPlans& plans,
                                                      Diagnostics& diagnostics)>;

/// What becomes of the answer of a StepModel: it stands beside that of the closed form, which is the reference it is
/// compared with, or in its place.
enum class ScheduleUse : std::uint8_t { beside, instead };

/// In the order of the rows. A row that cannot be predicted is counted, by the reason. With a `step_model`, rows that
/// are plans are asked of it; their kind is then "schedule ...".
std::vector<Prediction> predict(const Catalog& catalog, const std::vector<BacktestRow>& rows, Diagnostics& diagnostics,
                                const StepModel& step_model = {}, ScheduleUse use = ScheduleUse::instead);

/// Errors per data set, of rows that were measured and predicted; and of those that were scheduled besides.
using DatasetErrors = std::map<std::string, ErrorSummary>;
DatasetErrors errors_by_dataset(const std::vector<BacktestRow>& rows, const std::vector<Prediction>& predictions);
DatasetErrors schedule_errors_by_dataset(const std::vector<BacktestRow>& rows,
                                         const std::vector<Prediction>& predictions);

/// How far measured steps lie from predictions by schedule alone, by kind, where enough models were measured
/// (step_interval.h): what data/accuracy has of them.
std::vector<KindAccuracy> step_accuracy(const std::vector<BacktestRow>& rows,
                                        const std::vector<Prediction>& predictions);
/// "step_intervals": kind, rows, low_ratio, high_ratio.
report::Sheet step_interval_sheet(const std::vector<KindAccuracy>& kinds);

/// "rows": id, kind, predicted, low, high, unit, oom, peak_gib; the last two are null where memory is not modelled.
/// Where some row was scheduled besides: scheduled, scheduled_low, scheduled_high. Where some row is a serving point:
/// ttft_ms, tpot_ms, tpot_low_ms, tpot_high_ms.
report::Sheet prediction_sheet(const std::vector<BacktestRow>& rows, const std::vector<Prediction>& predictions);
/// "datasets": dataset, rows, and mape, median and bias of the errors in percent. With `scheduled`: scheduled_rows,
/// scheduled_mape, scheduled_bias.
report::Sheet dataset_sheet(const DatasetErrors& errors, const DatasetErrors& scheduled = {});

}  // namespace orrery::llm
