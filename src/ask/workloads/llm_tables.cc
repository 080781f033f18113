#include "ask/workloads/llm_tables.h"

#include <fmt/format.h>

#include <filesystem>
#include <iterator>
#include <utility>

#include "analyze/forecast/llm_forecast.h"
#include "base/io/csv.h"
#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "job/shipped/shipped_catalog.h"
#include "llm/backtest/accuracy_page.h"
#include "llm/backtest/backtest.h"
#include "llm/backtest/calibration.h"
#include "llm/backtest/calibration_sheets.h"
#include "llm/backtest/measured_tables.h"
#include "llm/backtest/serving_points.h"
#include "llm/backtest/stack_fit.h"
#include "llm/collectives/collective_prices.h"
#include "llm/kernels/kernel_benchmark.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

constexpr std::size_t kMaxDocumentBytes = std::size_t{16} << 20;

Result<CsvTable> load_llm_table(Context& context, const std::string& path) {
  auto table = read_csv(path);
  if (!table) return table.error();
  if (auto added = context.add_input(path); !added) return added.error();
  return table;
}

/// A table about one device, and what there is to price it by.
struct OpenTable {
  llm::Catalog catalog;
  machine::Device device;
  CsvTable table;
};
Result<OpenTable> open_table(Context& context, const std::string& path, const std::string& hardware) {
  auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  auto device = job::read_device(*catalog, hardware);
  if (!device) return device.error();
  auto table = load_llm_table(context, path);
  if (!table) return table.error();
  return OpenTable{std::move(*catalog), std::move(*device), std::move(*table)};
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
  const auto open = open_table(context, request.table, request.hardware);
  if (!open) return open.error();
  const auto& [catalog, device, table] = *open;
  llm::KernelDevices devices(&catalog, llm::kernel_device(catalog.devices, device));
  const auto prices = llm::price_kernels(table, devices, context.diagnostics());
  if (!prices) return prices.error();
  report::Answer answer = context.answer();
  report::Sheet rows = llm::kernel_sheet(*prices);
  answer.headline(fmt::format("{} on {}", report::counted(rows.rows(), "kernel"), device.name)).gap();
  answer.facts().field("device", device.name);
  answer.table(std::move(rows), {.view = {.rows = report::kShownRows, .rest = "kernels"}}).gap();
  answer.table(llm::kernel_kind_sheet(*prices));
  return answer;
}

Result<report::Answer> run(const LlmCollectivesRequest& request, Context& context) {
  const auto open = open_table(context, request.table, request.hardware);
  if (!open) return open.error();
  const auto& [catalog, device, table] = *open;
  const auto rows = llm::collective_rows(table);
  if (!rows) return rows.error();
  const auto prices = llm::price_collectives(table, *rows, catalog, device, context.diagnostics());
  if (!prices) return prices.error();
  report::Answer answer = context.answer();
  answer.headline(report::counted(rows->size(), "collective")).gap();
  answer.table(llm::collective_sheet(*rows, *prices), {.view = {.rows = report::kShownRows, .rest = "collectives"}})
      .gap();
  answer.table(llm::collective_op_sheet(*rows, *prices));
  return answer;
}

namespace {

Result<report::Answer> calibrate_stacks(const LlmCalibrateRequest& request, const OpenTable& open, Context& context) {
  const auto points = llm::serving_points(open.table);
  if (!points) return points.error();
  auto fit = llm::fit_stacks(open.catalog, *points, context.diagnostics());
  if (!fit) {
    fit.error().file = request.table;
    return fit.error();
  }
  if (request.output) {
    const auto written = write_whole_file(*request.output, llm::stacks_yaml(*fit, request.table, request.origin));
    if (!written) return written.error();
  }
  report::Answer answer = context.answer();
  answer.headline(fmt::format("{} of serving", report::counted(fit->points.size(), "point"))).gap();
  answer.table(llm::stack_sheet(*fit)).gap();
  answer.table(llm::pull_sheet(*fit)).gap();
  answer.table(llm::fitted_model_sheet(*fit)).gap();
  answer.table(llm::fitted_server_sheet(*fit));
  return answer;
}

}  // namespace

Result<report::Answer> run(const LlmCalibrateRequest& request, Context& context) {
  const auto open = open_table(context, request.table, request.hardware);
  if (!open) return open.error();
  const auto& [catalog, device, table] = *open;
  if (llm::is_serving_table(table)) return calibrate_stacks(request, *open, context);
  const auto rows = llm::kernel_rows(table);
  if (!rows) return rows.error();
  const llm::KernelDevice base = llm::kernel_device(catalog.devices, device);
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

namespace {

/// A row per measurement, whichever table it is of.
Result<llm::ScoredTable> score(const CsvTable& table, const llm::Catalog& catalog, const LlmBacktestRequest& request,
                               Diagnostics& diagnostics) {
  if (llm::is_collective_table(table)) return llm::score_collectives(table, catalog, diagnostics);
  if (llm::is_serving_table(table)) return llm::score_serving(table, catalog, diagnostics);
  if (llm::is_kernel_table(table)) return llm::score_kernels(table, catalog, diagnostics);
  auto rows = llm::backtest_rows(table, diagnostics);
  if (!rows) return rows.error();
  const simulate::PricingOptions network;
  const llm::StepModel schedule = analyze::schedule_model(catalog, network);
  // A page compares both.
  const bool instead = request.schedule && !request.write_accuracy;
  llm::ScoredTable scored{.rows = std::move(*rows)};
  scored.predictions = llm::predict(catalog, scored.rows, diagnostics, schedule,
                                    instead ? llm::ScheduleUse::instead : llm::ScheduleUse::beside);
  return scored;
}

/// Nothing is written where the section is the same already.
Status write_accuracy(const std::string& path, const llm::ScoredTable& scored) {
  std::error_code ignored;
  std::string before;
  if (std::filesystem::exists(path, ignored)) {
    auto text = read_whole_file(path, kMaxDocumentBytes);
    if (!text) return text.error();
    before = std::move(*text);
  }
  const std::string after = llm::with_section(before, llm::accuracy_section(scored.rows, scored.predictions));
  return after == before ? Status() : write_whole_file(path, after);
}

}  // namespace

Result<report::Answer> run(const LlmBacktestRequest& request, Context& context) {
  auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  if (request.stacks) {
    auto stacks = llm::read_stacks(*request.stacks);
    if (!stacks) return stacks.error();
    if (auto added = context.add_input(*request.stacks); !added) return added.error();
    catalog->stacks = std::move(*stacks);
  }
  llm::ScoredTable all;
  for (const std::string& path : request.tables) {
    const auto table = load_llm_table(context, path);
    if (!table) return table.error();
    auto scored = score(*table, *catalog, request, context.diagnostics());
    if (!scored) return scored.error();
    std::move(scored->rows.begin(), scored->rows.end(), std::back_inserter(all.rows));
    std::move(scored->predictions.begin(), scored->predictions.end(), std::back_inserter(all.predictions));
  }
  if (request.write_accuracy) {
    if (const Status written = write_accuracy(*request.write_accuracy, all); !written) return written.error();
  }
  report::Answer answer = context.answer();
  report::Sheet sheet = llm::prediction_sheet(all.rows, all.predictions);
  answer.headline(report::counted(sheet.rows(), "measurement")).gap();
  answer.table(std::move(sheet), {.view = {.rows = report::kShownRows}});
  if (const auto kinds = llm::step_accuracy(all.rows, all.predictions); !kinds.empty())
    answer.table([&] { return llm::step_interval_sheet(kinds); }, {.readers = report::Readers::programs});
  tell_datasets(answer, llm::dataset_sheet(llm::errors_by_dataset(all.rows, all.predictions),
                                           llm::schedule_errors_by_dataset(all.rows, all.predictions)));
  return answer;
}

}  // namespace orrery::ask
