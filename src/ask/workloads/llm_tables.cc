#include "ask/workloads/llm_tables.h"

#include <fmt/format.h>

#include <filesystem>

#include "analyze/forecast/llm_forecast.h"
#include "base/io/csv.h"
#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "base/limits.h"
#include "job/shipped/shipped_catalog.h"
#include "llm/backtest/backtest.h"
#include "llm/backtest/calibration.h"
#include "llm/backtest/calibration_sheets.h"
#include "llm/distil/measured_kernels.h"
#include "llm/kernels/kernel_benchmark.h"
#include "machine/device/device_yaml.h"
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

namespace {

/// Every file whole before the description names them.
Status write_distilled(const std::string& path, const machine::Device& device, const std::string& origin,
                       const std::vector<machine::KernelTable>& tables) {
  namespace fs = std::filesystem;
  const std::string folder = fs::path(path).stem().string() + "/";
  const fs::path place = fs::path(path).parent_path() / folder;
  std::error_code failed;
  fs::create_directories(place, failed);
  if (failed) return Error{"cannot make the folder: " + failed.message(), place.string()};
  for (const machine::KernelTable& table : tables) {
    const std::string file = (place / machine::table_file(table.kind)).string();
    if (auto written = write_whole_file(file, llm::table_text(table, origin)); !written) return written;
  }
  // What people wrote about a device stays as they wrote it.
  std::string text = machine::to_yaml(device, [](const std::string&) { return std::string(); });
  if (fs::exists(path, failed)) {
    auto before = read_whole_file(path, kMaxYamlBytes);
    if (!before) return before.error();
    text = std::move(*before);
  }
  return write_whole_file(path, llm::with_tables(std::move(text), folder));
}

}  // namespace

Result<report::Answer> run(const LlmDistilRequest& request, Context& context) {
  const auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  const auto device = job::read_device(*catalog, request.device);
  if (!device) return device.error();
  std::vector<llm::MeasuredKernel> kernels;
  for (const std::string& path : request.tables) {
    const auto table = load_llm_table(context, path);
    if (!table) return table.error();
    const auto rows = llm::kernel_rows(*table);
    if (!rows) return rows.error();
    const auto found = llm::measured_kernels(*catalog, *device, *rows, context.diagnostics());
    kernels.insert(kernels.end(), found.begin(), found.end());
  }
  if (kernels.empty())
    return Error{fmt::format("no row tells about {}", device->name), request.tables.front(), Error::kNoOffset,
                 "rows need a library or run = warm, the device's name or none, and a time in the column us"};
  const std::vector<machine::KernelTable> tables = llm::distil(*device, kernels);
  if (request.output) {
    const auto written = write_distilled(*request.output, *device, request.origin.value_or(""), tables);
    if (!written) return written.error();
  }
  report::Answer answer = context.answer();
  answer.headline(fmt::format("{} of {}", report::counted(kernels.size(), "kernel"), device->name)).gap();
  answer.facts().field("device", device->name);
  answer.table(llm::distilled_sheet(tables));
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
