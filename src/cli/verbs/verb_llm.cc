// orrery llm: how long steps and kernels of language models take, from their configurations.
#include <fmt/format.h>

#include "analyze/forecast/llm_schedule_model.h"
#include "ask/sweep_session.h"
#include "base/io/csv.h"
#include "cli/frame/invocation.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/run_page.h"
#include "cli/workloads/llm_calibrate.h"
#include "cli/workloads/llm_step.h"
#include "cli/workloads/network_flags.h"
#include "job/shipped/shipped_catalog.h"
#include "llm/backtest/backtest.h"
#include "llm/kernels/kernel_benchmark.h"
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
  const auto prices =
      llm::price_kernels(*table, llm::kernel_device(catalog.devices, *device), invocation.diagnostics());
  if (!prices) return invocation.fail(prices.error());
  const report::Sheet rows = llm::kernel_sheet(*prices), kinds = llm::kernel_kind_sheet(*prices);
  invocation.data().field("device", device->name);
  write_sheet(invocation.data(), rows);
  write_sheet(invocation.data(), kinds);
  report::SheetView view = invocation.view();
  view.rows = report::kShownRows;
  view.rest = "kernels";
  invocation.text() = fmt::format("{} on {}\n\n{}\n{}", report::counted(rows.rows(), "kernel"), device->name,
                                  to_text(rows, view), to_text(kinds, invocation.view()));
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
  const simulate::PricingOptions network;
  const llm::StepModel schedule = invocation.has("schedule")
                                      ? analyze::schedule_model(catalog, network, invocation.diagnostics())
                                      : llm::StepModel();
  const std::vector<llm::Prediction> predictions = llm::predict(catalog, *rows, invocation.diagnostics(), schedule);
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
  const std::string& what = invocation.operands()[0];
  if (what != "kernels" && what != "backtest" && what != "calibrate") return run_llm_steps(invocation, *catalog);
  if (invocation.operands().size() != 2)
    return invocation.fail_usage(
        {.message = fmt::format("llm {} takes one table", what), .hint = fmt::format("orrery llm {} FILE.csv", what)});
  for (const std::string_view flag :
       {"sweep", "checkpoint", "csv", "et", "manifest", "sensitivity", "edges", "report", "network-model"}) {
    if (invocation.has(flag))
      return invocation.fail_usage({.message = fmt::format("--{} goes with configurations, not with tables", flag)});
  }
  if (what == "calibrate") return run_llm_calibrate(invocation, *catalog);
  // The flag is there for what the verb writes otherwise: to take it and write nothing would lose the report.
  if (invocation.has("output"))
    return invocation.fail_usage({.message = fmt::format("llm {} writes no file", what),
                                  .hint = fmt::format("orrery llm {} FILE.csv > REPORT", what)});
  return what == "kernels" ? run_kernels(invocation, *catalog) : run_backtest(invocation, *catalog);
}

}  // namespace

const Verb& llm_verb() {
  static const Verb verb = {
      .name = "llm",
      .summary = "predict steps and kernels of language models from their configurations",
      .description =
          "CONFIG.yml... predicts training steps: time, tokens per second, MFU, exposed communication per axis, the "
          "pipeline's bubble, "
          "memory, "
          "and the critical path; inference: time to the first token and per token, tokens per second, memory; and "
          "matrix products over "
          "many devices. docs/formats/llm.md tells what a configuration says; data/llm has some.\n\n"
          "kernels FILE.csv prices every kernel of a table (columns kind, dtype, m, n, k, batch, heads, seq, dim, "
          "hidden and others: "
          "docs/LLM.md) as a benchmark on the device would time it.\n\n"
          "calibrate FILE.csv fits the constants of a device to such a table with measured times (column us), and says "
          "what was learnt and "
          "how far off kernels are that the constants had not seen.\n\n"
          "backtest FILE.csv predicts published measurements from their configurations: training steps, prefill, "
          "decode, single operators, "
          "memory. "
          "Where a table has measured values, both say how far off the predictions are.",
      .operands = {.name = "CONFIG...|WHAT FILE",
                   .help = "configurations; or kernels, backtest or calibrate, and a table of comma-separated values",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags =
          {Flag{.name = "hardware",
                .value_name = "DEVICE",
                .help = "of kernels and calibrate: a shipped device (a100, h100, h200, mi210, ...) or a file that "
                        "describes one",
                .default_text = "h200"},
           Flag{.name = "sweep",
                .help = "of a configuration: try all parallelisation plans for its devices (or those that its sweep: "
                        "lists), ranked by time"},
           checkpoint_flag(),
           Flag{.name = "schedule",
                .help =
                    "of backtest: run the schedules of Megatron's steps on their clusters instead of the closed forms"},
           network_model_flag("of a configuration: how communication is timed, whatever its network: says"),
           Flag{.name = "et",
                .value_name = "DIR",
                .help = "of a configuration: also write the step as execution traces, DIR/step.0.et, ..., with the "
                        "machine's files for "
                        "ASTRA-sim"},
           Flag{.name = "manifest",
                .value_name = "FILE",
                .kind = ValueKind::output,
                .help = "of a configuration with network: {mode: snapshot}: write the snapshots, their members and "
                        "prices as JSON"},
           Flag{.name = "sensitivity",
                .help = "of a configuration: also what the step would take if everything of a sort took 10 % less, "
                        "solved again",
                .former_name = "reactions"},
           Flag{.name = "edges", .help = "of a configuration: also list every communication of each stage"},
           report_flag(),
           Flag{.name = "csv",
                .help = "of configurations: print the tables as CSV, with the names and units of --json"}},
      .examples = {{"orrery llm data/llm/gpt_3_175b_64xa100.yml -o step.json.gz",
                    "a step, and its timeline for Perfetto"},
                   {"orrery llm data/llm/gpt_3_175b_64xa100.yml --sweep",
                    "all parallelisation plans for the same devices, ranked"},
                   {"orrery llm kernels kernels.csv --hardware h200",
                    "microseconds per kernel, and the error where it was measured"},
                   {"orrery llm calibrate kernels.csv --hardware h100 -o mine.yml",
                    "a device fitted to your own timings"},
                   {"orrery llm backtest validation.csv --json", "a prediction per row, and the errors per data set"}},
      .output_help =
          "of a configuration: the step as a trace: FILE.json or FILE.json.gz with all ranks for Perfetto, any other "
          "name: a folder with a "
          "file per rank; of calibrate: the fitted device, as a description that --hardware takes",
      .run = run_llm,
      .open_sweep = open_llm_sweep,
  };
  return verb;
}

}  // namespace orrery::cli
