#include "cli/workloads/llm_serving.h"

#include <fmt/format.h>

#include "analyze/forecast/llm_sheets.h"
#include "analyze/schedule/schedule_reasons.h"
#include "cli/graphs/run_page.h"
#include "cli/workloads/network_flags.h"
#include "job/read/step_files.h"
#include "job/write/schedule_export.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kRequestsDoNotFit{
    "M109", Severity::warning, "requests or operands do not fit into the device's memory",
    "times are what they would be if they did; fewer requests at once, or more devices"};

/// A step has thousands of activities per rank.
constexpr std::int64_t kMostDrawnRanks = 256;

/// What either kind of configuration has to show.
struct Shown {
  std::vector<report::Sheet> sheets;
  workload::Workload workload;
  simulate::Outcome run;
};

std::string inference_heading(const job::LlmConfig& config, double most_requests) {
  const llm::InferencePlan& plan = *config.inference;
  const llm::ParallelJob& job = plan.shape.job;
  return fmt::format(
      "{}\n{} on {} of {}: tensor {}, pipeline {}, expert {}, replicas {}\n{} of {} + {} tokens at once, {} batching; "
      "{} would fit\n",
      config.name, plan.shape.model.name, report::counted(static_cast<std::size_t>(plan.shape.ranks()), "device"),
      config.machine.name, job.tensor, job.pipeline, job.expert, job.data,
      report::counted(static_cast<std::size_t>(plan.batch), "request"), plan.prompt, plan.generate,
      llm::kBatchingNames[static_cast<std::size_t>(plan.batching)],
      format_count(static_cast<std::uint64_t>(most_requests)));
}

std::string product_heading(const job::LlmConfig& config) {
  const llm::MatrixPlan& plan = *config.product;
  return fmt::format("{}\n{} x {} x {} on {} of {}: {}, grid of {} x {}, {}\n", config.name, plan.m, plan.n, plan.k,
                     report::counted(static_cast<std::size_t>(plan.devices()), "device"), config.machine.name,
                     llm::kMatrixLayoutNames[static_cast<std::size_t>(plan.layout)], plan.rows, plan.columns,
                     report::counted(static_cast<std::size_t>(plan.panels), "panel"));
}

Result<analyze::InferenceForecast> forecast_requests(Invocation& invocation, const llm::Catalog& catalog,
                                                     const job::LlmConfig& config) {
  auto one = analyze::forecast_inference(
      {catalog, *config.inference, config.device, config.machine, configured_pricing(config.network), config.memory,
       kept_of_run(invocation, config.inference->shape.ranks())},
      invocation.diagnostics());
  if (one && !one->fits()) invocation.diagnostics().add(kRequestsDoNotFit, [&] { return config.name; });
  return one;
}

Result<analyze::MatrixForecast> forecast_operands(Invocation& invocation, const job::LlmConfig& config) {
  auto one =
      analyze::forecast_matrix({*config.product, config.device, config.machine, configured_pricing(config.network),
                                kept_of_run(invocation, static_cast<std::int64_t>(config.product->devices()))},
                               invocation.diagnostics());
  if (one && !one->fits()) invocation.diagnostics().add(kRequestsDoNotFit, [&] { return config.name; });
  return one;
}

ExitCode show(Invocation& invocation, const std::string& name, const machine::Machine& machine, std::string heading,
              Shown shown) {
  if (invocation.has("edges")) shown.sheets.push_back(analyze::llm_edges_sheet(shown.workload));
  if (invocation.has("output")) {
    const Status exported =
        job::export_schedule(shown.workload, shown.run.schedule, shown.run.link_names, invocation.text("output"));
    if (!exported) return invocation.fail(exported.error());
  }
  if (invocation.has("et")) {
    const auto written = job::write_step_files(shown.workload, machine, invocation.text("et"));
    if (!written) return invocation.fail(written.error());
  }
  if (!invocation.csv()) invocation.text() = std::move(heading);
  for (const report::Sheet& sheet : shown.sheets) {
    write_sheet(invocation.data(), sheet);
    if (invocation.csv()) {
      invocation.text() += to_csv(sheet) + "\n";
      continue;
    }
    report::SheetView view = invocation.view();
    view.rows = report::kShownRows;
    invocation.text() += "\n" + to_text(sheet, view);
  }
  if (!invocation.has("report")) return ExitCode::ok;
  const auto reasons =
      analyze::find_reasons(shown.workload, shown.run.schedule, {.path = true}, invocation.diagnostics());
  if (!reasons) return invocation.fail(reasons.error());
  const Status written =
      write_run_page(invocation, {shown.workload, shown.run.schedule, shown.run.link_names, name, *reasons, &machine});
  return written ? ExitCode::ok : invocation.fail(written.error());
}

}  // namespace

analyze::KeptOfRun kept_of_run(const Invocation& invocation, std::int64_t ranks) {
  const bool is_drawn = invocation.has("report") && ranks <= kMostDrawnRanks;
  analyze::KeptOfRun kept;
  if (invocation.has("output") || is_drawn) kept.detail = simulate::Detail::every_rank;
  kept.link_series = invocation.has("report") || job::shows_links(invocation.text("output"));
  return kept;
}

Status add_serving(Invocation& invocation, const llm::Catalog& catalog, const job::LlmConfig& config,
                   ServingSheets& sheets) {
  if (config.product) {
    const auto one = forecast_operands(invocation, config);
    if (!one) return one.error();
    add_product(sheets.products, config.name, *one);
    return {};
  }
  const auto one = forecast_requests(invocation, catalog, config);
  if (!one) return one.error();
  add_inference(sheets.inference, config.name, *one);
  return {};
}

ExitCode show_serving(Invocation& invocation, const llm::Catalog& catalog, const job::LlmConfig& config) {
  ServingSheets sheets;
  Shown shown;
  if (config.product) {
    auto one = forecast_operands(invocation, config);
    if (!one) return invocation.fail(one.error());
    add_product(sheets.products, config.name, *one);
    shown.sheets.push_back(std::move(sheets.products));
    shown.sheets.push_back(product_axes_sheet(*one));
    shown.workload = std::move(one->workload);
    shown.run = std::move(one->run);
    return show(invocation, config.name, config.machine, product_heading(config), std::move(shown));
  }
  auto one = forecast_requests(invocation, catalog, config);
  if (!one) return invocation.fail(one.error());
  add_inference(sheets.inference, config.name, *one);
  shown.sheets.push_back(std::move(sheets.inference));
  shown.sheets.push_back(inference_phases_sheet(*one));
  shown.sheets.push_back(inference_tokens_sheet(*one));
  shown.sheets.push_back(inference_memory_sheet(*one));
  shown.workload = std::move(one->workload);
  shown.run = std::move(one->run);
  return show(invocation, config.name, config.machine, inference_heading(config, one->most_requests), std::move(shown));
}

}  // namespace orrery::cli
