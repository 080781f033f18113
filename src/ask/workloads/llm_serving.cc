#include "ask/workloads/llm_serving.h"

#include <fmt/format.h>

#include "analyze/forecast/llm_sheets.h"
#include "analyze/schedule/schedule_reasons.h"
#include "ask/workloads/network.h"
#include "ask/workloads/run_page.h"
#include "job/read/step_files.h"
#include "job/write/schedule_export.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kRequestsDoNotFit{
    "M109", Severity::warning, "requests or operands do not fit into the device's memory",
    "times are what they would be if they did; fewer requests at once, or more devices"};

/// A step has thousands of activities per rank.
constexpr std::int64_t kMostDrawnRanks = 256;

/// What either kind of configuration has to show.
struct ShownForecast {
  std::vector<report::Sheet> sheets;
  workload::Workload workload;
  simulate::Outcome run;
  std::optional<simulate::MeasuredPrices> measured = {};  ///< what priced some of its collectives
  std::string expected = {};                              ///< a sentence for the page; empty: none
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

Result<analyze::InferenceForecast> forecast_requests(Context& context, const LlmStepOutputs& step,
                                                     const llm::Catalog& catalog, const job::LlmConfig& config) {
  auto one = analyze::forecast_inference(
      {catalog, *config.inference, config.device, config.machine, configured_pricing(config, catalog), config.memory,
       kept_of_run(step, config.inference->shape.ranks())},
      context.diagnostics());
  if (one && !one->fits()) context.diagnostics().add(kRequestsDoNotFit, [&] { return config.name; });
  return one;
}

Result<analyze::MatrixForecast> forecast_operands(Context& context, const LlmStepOutputs& step,
                                                  const llm::Catalog& catalog, const job::LlmConfig& config) {
  auto one =
      analyze::forecast_matrix({*config.product, config.device, config.machine, configured_pricing(config, catalog),
                                kept_of_run(step, static_cast<std::int64_t>(config.product->devices()))},
                               context.diagnostics());
  if (one && !one->fits()) context.diagnostics().add(kRequestsDoNotFit, [&] { return config.name; });
  return one;
}

Result<report::Answer> show(Context& context, const LlmStepOutputs& step, const std::string& name,
                            const machine::Machine& machine, std::string_view heading, ShownForecast shown) {
  if (step.edges)
    shown.sheets.push_back(analyze::llm_edges_sheet(shown.workload, shown.measured ? &*shown.measured : nullptr));
  if (step.output) {
    const Status exported =
        job::export_schedule(shown.workload, shown.run.schedule, shown.run.link_names, *step.output);
    if (!exported) return exported.error();
  }
  if (step.et) {
    const auto written = job::write_step_files(shown.workload, machine, *step.et);
    if (!written) return written.error();
  }
  report::Answer answer = context.answer();
  answer.text(heading);
  for (report::Sheet& sheet : shown.sheets)
    answer.gap().table(std::move(sheet), {.view = {.rows = report::kShownRows}});
  if (!step.report) return answer;
  const auto reasons = analyze::find_reasons(shown.workload, shown.run.schedule, {.path = true}, context.diagnostics());
  if (!reasons) return reasons.error();
  RunOnPage page{"llm", shown.workload, shown.run.schedule, shown.run.link_names, name, *reasons, &machine};
  page.written_to = step.output.value_or("");
  page.expected = std::move(shown.expected);
  const Status written = write_run_page(answer, context, step.report, std::move(page));
  if (!written) return written.error();
  return answer;
}

}  // namespace

analyze::KeptOfRun kept_of_run(const LlmStepOutputs& step, std::int64_t ranks) {
  const bool is_drawn = step.report && ranks <= kMostDrawnRanks;
  analyze::KeptOfRun kept;
  if (step.output || is_drawn) kept.detail = simulate::Detail::every_rank;
  kept.link_series = step.report || job::shows_links(step.output.value_or(""));
  return kept;
}

Status add_serving(Context& context, const LlmStepOutputs& step, const llm::Catalog& catalog,
                   const job::LlmConfig& config, ServingSheets& sheets) {
  if (config.product) {
    const auto one = forecast_operands(context, step, catalog, config);
    if (!one) return one.error();
    add_product(sheets.products, config.name, *one);
    return {};
  }
  const auto one = forecast_requests(context, step, catalog, config);
  if (!one) return one.error();
  add_inference(sheets.inference, config.name, *one);
  return {};
}

Result<report::Answer> show_serving(Context& context, const LlmStepOutputs& step, const llm::Catalog& catalog,
                                    const job::LlmConfig& config) {
  ServingSheets sheets;
  ShownForecast shown;
  auto measured = measured_prices(configured_pricing(config, catalog), config.machine);
  if (!measured) return measured.error();
  shown.measured = std::move(*measured);
  if (config.product) {
    auto one = forecast_operands(context, step, catalog, config);
    if (!one) return one.error();
    add_product(sheets.products, config.name, *one);
    shown.sheets.push_back(std::move(sheets.products));
    shown.sheets.push_back(product_axes_sheet(*one));
    shown.workload = std::move(one->workload);
    shown.run = std::move(one->run);
    return show(context, step, config.name, config.machine, product_heading(config), std::move(shown));
  }
  auto one = forecast_requests(context, step, catalog, config);
  if (!one) return one.error();
  add_inference(sheets.inference, config.name, *one);
  shown.sheets.push_back(std::move(sheets.inference));
  shown.expected = analyze::interval_sentence("A request", one->latency_ps, one->latency_interval);
  shown.sheets.push_back(inference_phases_sheet(*one));
  shown.sheets.push_back(inference_tokens_sheet(*one));
  shown.sheets.push_back(inference_memory_sheet(*one));
  shown.workload = std::move(one->workload);
  shown.run = std::move(one->run);
  return show(context, step, config.name, config.machine, inference_heading(config, one->most_requests),
              std::move(shown));
}

}  // namespace orrery::ask
