#include "ask/workloads/llm_tables.h"

#include <fmt/format.h>

#include "analyze/forecast/llm_forecast.h"
#include "base/io/csv.h"
#include "base/io/output_file.h"
#include "job/shipped/shipped_catalog.h"
#include "llm/backtest/backtest.h"
#include "llm/backtest/calibration.h"
#include "llm/backtest/calibration_sheets.h"
#include "llm/collectives/collective_prices.h"
#include "llm/kernels/kernel_benchmark.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

Result<CsvTable> load_llm_table(Context& context, const std::string& path) {
  auto table = read_csv(path);
  if (!table) return table.error();
  if (auto added = context.add_input(path); !added) return added.error();
  return table;
}

/// Programs look a data set up by its name.
void tell_datasets(report::Answer& answer, report::Sheet sheet) {
  if (!answer.for_programs()) {
    answer.table(std::move(sheet), {.after_gap = true});
    return;
  }
  const auto kept = report::Facts::share(std::move(sheet));
  report::Facts& facts = answer.facts();
  facts.key("datasets").begin_object();
  for (std::size_t row = 0; row < kept->rows(); ++row) facts.key(kept->text(0, row)).row(kept, row);
  facts.end_object();
}

}  // namespace

Result<report::Answer> run(const LlmKernelsRequest& request, Context& context) {
  const auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  const auto device = job::read_device(*catalog, request.hardware);
  if (!device) return device.error();
  const auto table = load_llm_table(context, request.table);
  if (!table) return table.error();
  llm::KernelDevices devices(&*catalog, llm::kernel_device(catalog->devices, *device));
  const auto prices = llm::price_kernels(*table, devices, context.diagnostics());
  if (!prices) return prices.error();
  report::Answer answer = context.answer();
  report::Sheet rows = llm::kernel_sheet(*prices);
  answer.headline(fmt::format("{} on {}", report::counted(rows.rows(), "kernel"), device->name)).gap();
  answer.facts().field("device", device->name);
  answer.table(std::move(rows), {.view = {.rows = report::kShownRows, .rest = "kernels"}}).gap();
  answer.table(llm::kernel_kind_sheet(*prices));
  return answer;
}

Result<report::Answer> run(const LlmCollectivesRequest& request, Context& context) {
  const auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  const auto device = job::read_device(*catalog, request.hardware);
  if (!device) return device.error();
  const auto table = load_llm_table(context, request.table);
  if (!table) return table.error();
  const auto rows = llm::collective_rows(*table);
  if (!rows) return rows.error();
  const auto prices = llm::price_collectives(*table, *rows, *catalog, *device, context.diagnostics());
  if (!prices) return prices.error();
  report::Answer answer = context.answer();
  answer.headline(report::counted(rows->size(), "collective")).gap();
  answer.table(llm::collective_sheet(*rows, *prices), {.view = {.rows = report::kShownRows, .rest = "collectives"}})
      .gap();
  answer.table(llm::collective_op_sheet(*rows, *prices));
  return answer;
}

Result<report::Answer> run(const LlmCalibrateRequest& request, Context& context) {
  const auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  const auto device = job::read_device(*catalog, request.hardware);
  if (!device) return device.error();
  const auto table = load_llm_table(context, request.table);
  if (!table) return table.error();
  const auto rows = llm::kernel_rows(*table);
  if (!rows) return rows.error();
  const llm::KernelDevice base = llm::kernel_device(catalog->devices, *device);
  auto calibration = llm::calibrate(base, *rows, context.diagnostics());
  if (!calibration) {
    calibration.error().file = request.table;
    return calibration.error();
  }
  if (request.output) {
    const auto written = write_whole_file(*request.output, llm::calibrated_yaml(*calibration, request.table, base));
    if (!written) return written.error();
  }
  report::Answer answer = context.answer();
  answer.headline(fmt::format("{} of {} that began as {}", report::counted(calibration->timings(), "timing"),
                              report::counted(calibration->shapes, "shape"), base.device.name));
  answer.gap().facts().field("device", base.device.name);
  answer.table(llm::constant_sheet(*calibration)).gap();
  answer.table(llm::calibrated_kind_sheet(*calibration));
  answer.table([&] { return llm::calibrated_row_sheet(*calibration); }, {.readers = report::Readers::programs});
  return answer;
}

Result<report::Answer> run(const LlmBacktestRequest& request, Context& context) {
  const auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  const auto table = load_llm_table(context, request.table);
  if (!table) return table.error();
  const auto rows = llm::backtest_rows(*table, context.diagnostics());
  if (!rows) return rows.error();
  const simulate::PricingOptions network;
  const llm::StepModel schedule = analyze::schedule_model(*catalog, network, context.diagnostics());
  const std::vector<llm::Prediction> predictions =
      llm::predict(*catalog, *rows, context.diagnostics(), schedule,
                   request.schedule ? llm::ScheduleUse::instead : llm::ScheduleUse::beside);
  report::Answer answer = context.answer();
  report::Sheet sheet = llm::prediction_sheet(*rows, predictions);
  answer.headline(report::counted(sheet.rows(), "measurement")).gap();
  answer.table(std::move(sheet), {.view = {.rows = report::kShownRows}});
  tell_datasets(answer, llm::dataset_sheet(llm::errors_by_dataset(*rows, predictions),
                                           llm::schedule_errors_by_dataset(*rows, predictions)));
  return answer;
}

}  // namespace orrery::ask
