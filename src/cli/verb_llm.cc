// orrery llm: how long steps and kernels of language models take, from their configurations.
#include <fmt/format.h>

#include "base/csv.h"
#include "cli/invocation.h"
#include "cli/verbs.h"
#include "job/shipped_catalog.h"
#include "llm/backtest.h"
#include "llm/kernel_benchmark.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

Result<CsvTable> read_table(Invocation& invocation, const std::string& path) {
  auto table = read_csv(path);
  if (!table) return table.error();
  if (auto added = invocation.add_input(path); !added) return added.error();
  return table;
}

ExitCode run_kernels(Invocation& invocation, const llm::Catalog& catalog) {
  const auto device = job::read_device(catalog, invocation.text("hardware"));
  if (!device) return invocation.fail(device.error());
  const auto table = read_table(invocation, invocation.operands()[1]);
  if (!table) return invocation.fail(table.error());
  const auto prices = llm::price_kernels(*table, *device, invocation.diagnostics());
  if (!prices) return invocation.fail(prices.error());
  const report::Sheet rows = llm::kernel_sheet(*prices), kinds = llm::kernel_kind_sheet(*prices);
  invocation.data().field("device", device->name);
  write_sheet(invocation.data(), rows);
  write_sheet(invocation.data(), kinds);
  report::SheetView view = invocation.view();
  view.rows = report::kShownRows;
  view.rest = "kernels";
  invocation.text() = fmt::format("{} on {}\n\n{}\n{}", report::counted(rows.rows(), "kernel"), device->name, to_text(rows, view),
                                  to_text(kinds, invocation.view()));
  return ExitCode::ok;
}

/// Programs look a data set up by its name.
void write_datasets(JsonWriter& json, const report::Sheet& sheet) {
  json.key("datasets").begin_object();
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    json.key(sheet.text(0, row));
    write_row(json, sheet, row);
  }
  json.end_object();
}

ExitCode run_backtest(Invocation& invocation, const llm::Catalog& catalog) {
  const auto table = read_table(invocation, invocation.operands()[1]);
  if (!table) return invocation.fail(table.error());
  const auto rows = llm::backtest_rows(*table, invocation.diagnostics());
  if (!rows) return invocation.fail(rows.error());
  const std::vector<llm::Prediction> predictions = llm::predict(catalog, *rows, invocation.diagnostics());
  const report::Sheet sheet = llm::prediction_sheet(*rows, predictions);
  const report::Sheet datasets = llm::dataset_sheet(llm::errors_by_dataset(*rows, predictions));
  write_sheet(invocation.data(), sheet);
  write_datasets(invocation.data(), datasets);
  report::SheetView view = invocation.view();
  view.rows = report::kShownRows;
  invocation.text() = fmt::format("{}\n\n{}", report::counted(sheet.rows(), "measurement"), to_text(sheet, view));
  if (datasets.rows() > 0) invocation.text() += fmt::format("\n{}", to_text(datasets, invocation.view()));
  return ExitCode::ok;
}

ExitCode run_llm(Invocation& invocation) {
  const auto catalog = job::read_shipped_catalog();
  if (!catalog) return invocation.fail(catalog.error());
  if (invocation.operands()[0] == "kernels") return run_kernels(invocation, *catalog);
  if (invocation.operands()[0] == "backtest") return run_backtest(invocation, *catalog);
  return invocation.fail_usage({.message = fmt::format("there is no '{}' to do", invocation.operands()[0]),
                                .hint = "orrery llm kernels FILE.csv, or orrery llm backtest FILE.csv"});
}

}  // namespace

const Verb& llm_verb() {
  static const Verb verb = {
      .name = "llm",
      .summary = "predict steps and kernels of language models from their configurations",
      .description =
          "kernels FILE.csv prices every kernel of a table (columns kind, dtype, m, n, k, batch, heads, seq, dim, hidden) as a benchmark "
          "on the "
          "device would time it.\n\n"
          "backtest FILE.csv predicts published measurements from their configurations: training steps, prefill, decode, single operators, "
          "memory. "
          "Where a table has measured values, both say how far off the predictions are.",
      .operands = {.name = "WHAT FILE", .help = "kernels or backtest, and a table of comma-separated values", .min = 2, .max = 2},
      .flags = {Flag{.name = "hardware",
                     .value_name = "DEVICE",
                     .help = "of kernels: a shipped device (a100, h100, h200, mi210, ...) or a file that describes one",
                     .default_text = "h200"}},
      .examples = {{"orrery llm kernels kernels.csv --hardware h200", "microseconds per kernel, and the error where it was measured"},
                   {"orrery llm backtest validation.csv --json", "a prediction per row, and the errors per data set"}},
      .run = run_llm,
  };
  return verb;
}

}  // namespace orrery::cli
