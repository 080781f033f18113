#include "llm/backtest/backtest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "llm/backtest/operator_row.h"
#include "llm/backtest/row_models.h"
#include "llm/backtest/rows.h"
#include "llm/backtest/serving_rows.h"
#include "llm/backtest/step_interval.h"
#include "llm/closed_forms/peak_memory.h"
#include "llm/diagnostics.h"
#include "llm/steps/step_memory.h"
#include "report/bar.h"

// A row says what was measured; its phase and metric choose the model that predicts it. Where the row is a whole plan
// it is also run as a schedule, beside the closed form or instead of it. Intervals come from how far rows of the same
// kind were off before. Errors are summed up by dataset, so that no large table hides a small one.

namespace orrery::llm {

namespace {

using Row = BacktestRow;
constexpr double kGiB = 0x1p30;

void set_peak(Prediction& prediction, double bytes, double limit) {
  prediction.peak_bytes = bytes;
  prediction.out_of_memory = bytes > limit;
}

/// One device, eager: time and peak of a training step, a prefill or a token.
Prediction predict_eager(const Catalog& catalog, const machine::Device& device, const Row& row) {
  Prediction prediction;
  const auto model = eager_model_of(row);
  if (!model || !row.global_batch) return prediction;
  if (row.phase == "train") {
    const auto training = eager_training_of(row);
    if (!training) return prediction;
    prediction.value = training_seconds(device, catalog.eager, *model, *training);
    set_peak(prediction, training_peak_bytes(catalog.eager, *model, *training), device.memory_bytes());
    return prediction;
  }
  const bool decode = row.phase == "decode";
  const double batch = *row.global_batch;
  prediction.value = decode ? decode_seconds(device, catalog.eager, *model, batch)
                            : prefill_seconds(device, catalog.eager, *model, batch);
  set_peak(prediction, inference_peak_bytes(catalog.eager, *model, batch, decode), device.memory_bytes());
  return prediction;
}

std::optional<double> memory_gib(const Source& source, const Row& row) {
  const ParallelJob job = job_of(source, row);
  if (row.metric.find("params") != std::string::npos) {
    if (!row.has({&Row::layers, &Row::hidden, &Row::vocabulary})) return std::nullopt;
    return state_bytes(*row.layers, *row.hidden, *row.vocabulary, job) / kGiB;
  }
  if (!row.has({&Row::layers, &Row::hidden, &Row::heads, &Row::sequence, &Row::micro_batch})) return std::nullopt;
  return activation_bytes(*row.layers, *row.hidden, *row.heads, job) / kGiB;
}

/// Operations of the model per second and device, in 10^12: what papers quote instead of a time.
std::optional<double> model_tflops(const Catalog& catalog, const Source& source, const Row& row, double seconds) {
  const auto model = architecture_of(catalog, source, row);
  if (!model || !row.has({&Row::layers, &Row::hidden, &Row::sequence, &Row::global_batch, &Row::devices}))
    return std::nullopt;
  // 6 per parameter and token, and of attention the half of the scores that a causal mask leaves.
  const double per_token = 6 * dense_parameters(*model) + 6 * *row.layers * *row.hidden * *row.sequence;
  return per_token * *row.sequence * *row.global_batch / seconds / *row.devices * 1e-12;
}

Prediction predict_training(const Catalog& catalog, const Source& source, const machine::Device& device,
                            const Row& row) {
  Prediction prediction;
  const bool has_shape = row.has(
      {&Row::layers, &Row::hidden, &Row::ffn, &Row::vocabulary, &Row::sequence, &Row::micro_batch, &Row::global_batch});
  if (source.framework == Framework::nanotron && has_shape) {
    const ShardedModel model{
        .layers = *row.layers, .hidden = *row.hidden, .ffn = *row.ffn, .vocabulary = *row.vocabulary};
    const double bytes = fullest_rank_bytes(catalog.shard_memory, model, job_of(source, row));
    set_peak(prediction, bytes, catalog.shard_memory.usable_share * device.memory_bytes());
  }
  prediction.value = row_step_seconds(catalog, source, device, row);
  if (prediction.value && row.metric == "TFLOPs/GPU")
    prediction.value = model_tflops(catalog, source, row, *prediction.value);
  return prediction;
}

/// Rows of one kind are predicted by one model and off by like amounts.
std::string kind_of(const Source& source, const Row& row) {
  if (row.phase == "op") return "operator " + row.metric;
  if (source.framework == Framework::eager) return "eager " + row.phase;
  if (row.metric.starts_with("memory")) return "memory";
  const bool training = row.phase == "train" || row.phase == "finetune";
  const std::string_view serving = source.stack.empty() ? "serving" : "served";
  return fmt::format("{} {}", training ? to_string(source.framework) : serving, row.metric);
}

/// Which file has the constants of the model that predicts a row, and says on what they were fitted.
std::string constants_file(const Source& source, const Row& row) {
  if (row.phase == "op") return "data/benchmarks";
  if (row.metric.starts_with("memory")) return {};  // counted, not fitted
  const bool training = row.phase == "train" || row.phase == "finetune";
  if (!training && source.framework != Framework::eager)
    return source.stack.empty() ? "data/frameworks/serving.yaml" : "data/frameworks/serving_stacks.yaml";
  switch (source.framework) {
    case Framework::eager: return "data/frameworks/pytorch_eager.yaml";
    case Framework::megatron: return "data/frameworks/megatron_2021.yaml";
    case Framework::megatron_core: return "data/frameworks/megatron_core.yaml";
    case Framework::nemo: return "data/frameworks/nemo.yaml";
    case Framework::fsdp: return "data/frameworks/llm_foundry.yaml";
    case Framework::paired_devices: return "data/frameworks/paired_devices.yaml";
    case Framework::nanotron: return "data/frameworks/nanotron_steps.yaml";
  }
  return {};
}

Prediction predict_by_kind(const Catalog& catalog, const Source& source, const machine::Device& device,
                           const Row& row) {
  if (row.phase == "op") {
    const MeasuringMethod* method = find_method(catalog, source.method);
    return {{.value = method != nullptr ? operator_value(*method, device, row) : std::nullopt}};
  }
  if (source.framework == Framework::eager) return predict_eager(catalog, device, row);
  if (row.metric.starts_with("memory")) return {{.value = memory_gib(source, row)}};
  if (row.phase == "train" || row.phase == "finetune") return predict_training(catalog, source, device, row);
  return {predict_serving(catalog, source, device, row)};
}

void count_unpredicted(const Catalog& catalog, const Source& source, const Row& row, Diagnostics& diagnostics) {
  const bool by_shape = row.phase != "op" && source.framework != Framework::eager;
  if (by_shape && !architecture_of(catalog, source, row))
    return diagnostics.add(kUnknownArchitecture, [&] { return fmt::format("{}: '{}'", row.id, row.model); });
  diagnostics.add(kIncompleteRow, [&] { return row.id; });
}

double fullest_stage_bytes(const StepPlan& plan) {
  double fullest = 0;
  for (std::uint32_t stage = 0; stage < plan.stages(); ++stage)
    fullest = std::max(fullest, peak_memory(plan, {}, stage).sum());
  return fullest;
}

/// Around a prediction of a kind that was measured often enough.
void set_interval(const Catalog& catalog, Estimate& estimate) {
  const KindAccuracy* accuracy = estimate.value ? catalog.accuracy.find(estimate.kind) : nullptr;
  if (accuracy == nullptr || estimate.low) return;
  estimate.low = *estimate.value * accuracy->low_ratio;
  estimate.high = *estimate.value * accuracy->high_ratio;
}

struct ScheduledRow {
  Estimate estimate;
  std::optional<double> peak_bytes;  ///< where the row leaves no micro-batch open
};
/// None: the row is no plan.
std::optional<ScheduledRow> schedule_row(const Catalog& catalog, const Source& source, const machine::Device& device,
                                         const Row& row, const StepModel& model, Diagnostics& diagnostics) {
  const bool training = row.phase == "train" || row.phase == "finetune";
  if (!training || row.metric.starts_with("memory")) return std::nullopt;
  const RowPlans plans = row_plans(catalog, source, device, row);
  if (plans.plans.empty()) return std::nullopt;
  std::optional<double> seconds = model(device, plans, diagnostics);
  if (seconds && row.metric == "TFLOPs/GPU") seconds = model_tflops(catalog, source, row, *seconds);
  if (!seconds) return std::nullopt;
  ScheduledRow scheduled{{.kind = schedule_kind(plans.plans[0]), .value = seconds}, {}};
  if (plans.plans.size() == 1) scheduled.peak_bytes = fullest_stage_bytes(plans.plans[0]);
  return scheduled;
}

Prediction predict_row(const Catalog& catalog, const Row& row, Diagnostics& diagnostics, const StepModel& step_model,
                       ScheduleUse use) {
  const machine::Device* device = find_device(catalog, row.device);
  if (device == nullptr)
    return diagnostics.add(kUnknownDevice, [&] { return fmt::format("{}: '{}'", row.id, row.device); }), Prediction{};
  const Source source = source_of(row);
  Prediction prediction = predict_by_kind(catalog, source, *device, row);
  prediction.kind = kind_of(source, row);
  prediction.rests_on = constants_file(source, row);
  if (const KindAccuracy* accuracy = catalog.accuracy.find(prediction.kind))
    prediction.unseen_pct = accuracy->unseen_pct;
  std::optional<ScheduledRow> scheduled;
  if (step_model) scheduled = schedule_row(catalog, source, *device, row, step_model, diagnostics);
  if (scheduled && use == ScheduleUse::beside && has_closed_form(source.framework)) {
    prediction.scheduled = std::move(scheduled->estimate);
    set_interval(catalog, *prediction.scheduled);
  } else if (scheduled) {
    static_cast<Estimate&>(prediction) = std::move(scheduled->estimate);
    // A framework's own verdict was fitted on verdicts; the plan's memory stands where there is none.
    if (scheduled->peak_bytes && !prediction.peak_bytes)
      set_peak(prediction, *scheduled->peak_bytes, device->memory_bytes());
  }
  if (!prediction.value) return count_unpredicted(catalog, source, row, diagnostics), prediction;
  set_interval(catalog, prediction);
  return prediction;
}

/// Of what `value_of` says of each row.
template <typename ValueOf>
DatasetErrors summarise(const std::vector<Row>& rows, const std::vector<Prediction>& predictions,
                        const ValueOf& value_of) {
  std::map<std::string, std::vector<double>> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].unit == "bool") continue;  // a verdict, not a measurement
    const std::optional<double> value = value_of(predictions[i]);
    if (!rows[i].measured || *rows[i].measured == 0 || !value) continue;
    errors[rows[i].dataset].push_back(error_pct(*value, *rows[i].measured));
  }
  DatasetErrors summaries;
  for (const auto& [dataset, list] : errors) summaries.emplace(dataset, summarise_errors(list));
  return summaries;
}

/// "0.9 to 1.1"; "-": too few measurements.
std::string interval_text(const Estimate& estimate) {
  if (!estimate.low || !estimate.high) return "-";
  return fmt::format("{} to {}", report::plain_digits(*estimate.low, 3), report::plain_digits(*estimate.high, 3));
}
std::string value_text(const Estimate& estimate) {
  return estimate.value ? report::plain_digits(*estimate.value, 4) : "-";
}

}  // namespace

std::vector<Prediction> predict(const Catalog& catalog, const std::vector<Row>& rows, Diagnostics& diagnostics,
                                const StepModel& step_model, ScheduleUse use) {
  std::vector<Prediction> predictions(rows.size());
  std::vector<Diagnostics> remarks(rows.size());
  parallel_for(rows.size(),
               [&](std::size_t i) { predictions[i] = predict_row(catalog, rows[i], remarks[i], step_model, use); });
  for (const Diagnostics& of_row : remarks) diagnostics.merge(of_row);
  return predictions;
}

DatasetErrors errors_by_dataset(const std::vector<Row>& rows, const std::vector<Prediction>& predictions) {
  return summarise(rows, predictions, [](const Prediction& one) { return one.value; });
}
DatasetErrors schedule_errors_by_dataset(const std::vector<Row>& rows, const std::vector<Prediction>& predictions) {
  return summarise(rows, predictions, [](const Prediction& one) {
    return one.scheduled ? one.scheduled->value : std::optional<double>();
  });
}

std::vector<KindAccuracy> step_accuracy(const std::vector<Row>& rows, const std::vector<Prediction>& predictions) {
  std::map<std::string, ModelRatios> ratios;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const Prediction& one = predictions[i];
    if (!row.measured || *row.measured <= 0 || row.unit == "bool" || !one.value || *one.value <= 0) continue;
    if (has_closed_form(source_of(row).framework) || !one.kind.starts_with("schedule ")) continue;
    // A model without a name is known by its shape.
    const std::string model =
        row.model.empty() ? fmt::format("{} x {}", row.layers.value_or(0), row.hidden.value_or(0)) : row.model;
    ratios[one.kind][model].push_back(*row.measured / *one.value);
  }
  std::vector<KindAccuracy> kinds;
  for (const auto& [kind, by_model] : ratios) {
    if (auto interval = interval_over_models(kind, by_model)) kinds.push_back(std::move(*interval));
  }
  return kinds;
}

report::Sheet step_interval_sheet(const std::vector<KindAccuracy>& kinds) {
  using report::Type;
  report::Sheet sheet("step_intervals");
  sheet.add({.name = "kind"})
      .add({.name = "rows", .type = Type::integer})
      .add({.name = "low_ratio", .type = Type::real})
      .add({.name = "high_ratio", .type = Type::real});
  for (const KindAccuracy& one : kinds)
    sheet.add_row({one.name, static_cast<std::int64_t>(one.rows), one.low_ratio, one.high_ratio});
  return sheet;
}

report::Sheet prediction_sheet(const std::vector<Row>& rows, const std::vector<Prediction>& predictions) {
  using report::Cell, report::Type;
  const bool scheduled = std::any_of(predictions.begin(), predictions.end(),
                                     [](const Prediction& one) { return one.scheduled.has_value(); });
  report::Sheet sheet("rows");
  sheet.add({.name = "id", .title = "row"})
      .add({.name = "kind"})
      .add({.name = "predicted", .type = Type::real})
      .add({.name = "low", .type = Type::real})
      .add({.name = "high", .type = Type::real})
      // Milliseconds and days in one column: people read digits, not decimals.
      .add({.name = "prediction", .title = scheduled ? "closed form" : "predicted", .people_only = true})
      .add({.name = "interval", .title = "80 % interval", .people_only = true})
      .add({.name = "unit", .title = "unit"})
      .add({.name = "oom", .type = Type::flag, .title = "out of memory"})
      .add({.name = "peak_gib", .type = Type::real, .title = "peak GiB", .decimals = 1});
  if (scheduled) {
    sheet.add({.name = "scheduled", .type = Type::real})
        .add({.name = "scheduled_low", .type = Type::real})
        .add({.name = "scheduled_high", .type = Type::real})
        .add({.name = "schedule", .title = "schedule", .people_only = true})
        .add({.name = "schedule_interval", .title = "80 % interval", .people_only = true});
  }
  const bool served =
      std::any_of(predictions.begin(), predictions.end(), [](const Prediction& one) { return one.served.has_value(); });
  if (served) {
    sheet.add({.name = "ttft_ms", .type = Type::real, .title = "first token ms", .decimals = 0});
    for (const char* name : {"tpot_ms", "tpot_low_ms", "tpot_high_ms"}) sheet.add({.name = name, .type = Type::real});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Prediction& one = predictions[i];
    const auto known = [](const std::optional<double>& number) { return number ? Cell(*number) : Cell(nullptr); };
    std::optional<double> peak_gib;
    if (one.peak_bytes) peak_gib = *one.peak_bytes / kGiB;
    // A Cell only points at its text, which must live until the row is added.
    const Estimate other = one.scheduled.value_or(Estimate{});
    const std::string value = value_text(one), interval = interval_text(one);
    const std::string other_value = value_text(other), other_interval = interval_text(other);
    std::vector<Cell> cells = {
        rows[i].id,     one.kind,        known(one.value),
        known(one.low), known(one.high), value,
        interval,       rows[i].unit,    one.peak_bytes ? Cell(one.out_of_memory) : Cell(nullptr),
        known(peak_gib)};
    if (scheduled) {
      for (const Cell& cell : {known(other.value), known(other.low), known(other.high)}) cells.push_back(cell);
      cells.emplace_back(other_value);
      cells.emplace_back(other_interval);
    }
    if (served) {
      const Estimate token = one.served ? static_cast<const Estimate&>(one) : Estimate{};
      cells.push_back(known(one.served.value_or(ServedTimes{}).ttft_ms));
      for (const Cell& cell : {known(token.value), known(token.low), known(token.high)}) cells.push_back(cell);
    }
    sheet.add_row(std::move(cells));
  }
  return sheet;
}

report::Sheet dataset_sheet(const DatasetErrors& errors, const DatasetErrors& scheduled) {
  using report::Cell, report::Type;
  report::Sheet sheet("datasets");
  sheet.add({.name = "dataset", .title = "data set"})
      .add({.name = "rows", .type = Type::integer, .title = "rows"})
      .add({.name = "mape", .type = Type::real, .title = "mean error %", .decimals = 1})
      .add({.name = "median", .type = Type::real, .title = "median %", .decimals = 1})
      .add({.name = "bias", .type = Type::real, .title = "bias %", .is_change = true, .decimals = 1});
  if (!scheduled.empty()) {
    sheet.add({.name = "scheduled_rows", .type = Type::integer, .title = "scheduled rows"})
        .add({.name = "scheduled_mape", .type = Type::real, .title = "mean error %", .decimals = 1})
        .add({.name = "scheduled_bias", .type = Type::real, .title = "bias %", .is_change = true, .decimals = 1});
  }
  for (const auto& [dataset, one] : errors) {
    std::vector<Cell> cells = {dataset, one.rows, one.mean_pct, one.median_pct, one.bias_pct};
    const auto found = scheduled.find(dataset);
    if (found != scheduled.end()) {
      for (const Cell& cell : {Cell(found->second.rows), Cell(found->second.mean_pct), Cell(found->second.bias_pct)})
        cells.push_back(cell);
    } else if (!scheduled.empty()) {
      cells.insert(cells.end(), 3, Cell(nullptr));
    }
    sheet.add_row(std::move(cells));
  }
  return sheet;
}

}  // namespace orrery::llm
