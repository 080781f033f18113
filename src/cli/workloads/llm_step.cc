#include "cli/workloads/llm_step.h"
#include "cli/frame/load.h"

#include <fmt/format.h>

#include "analyze/forecast/llm_sheets.h"
#include "analyze/forecast/llm_sweep.h"
#include "analyze/schedule/pricing_sheets.h"
#include "analyze/schedule/schedule_reasons.h"
#include "analyze/schedule/schedule_sheets.h"
#include "ask/sweep_session.h"
#include "base/io/output_file.h"
#include "cli/frame/command_line.h"
#include "cli/graphs/run_page.h"
#include "cli/workloads/llm_serving.h"
#include "cli/workloads/network_flags.h"
#include "job/read/step_files.h"
#include "job/shipped/llm_config.h"
#include "job/shipped/shipped_catalog.h"
#include "job/write/schedule_export.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kDoesNotFit{"M107", Severity::warning, "the step does not fit into the device's memory",
                                     "its time is what it would take if it did; recompute, shard or split more"};

constexpr DiagnosticKind kUnpriced{"M108", Severity::warning,
                                   "plans whose communication the machine has no price for were left out",
                                   "the other plans are ranked without them"};
constexpr std::size_t kConfirmedPlans = 3;

Status draw_step(Invocation& invocation, const job::LlmConfig& config, const analyze::LlmForecast& one) {
  if (!invocation.has("report")) return {};
  const auto reasons = analyze::find_reasons(one.workload, one.run.schedule, {.path = true}, invocation.diagnostics());
  if (!reasons) return reasons.error();
  RunOnPage page{one.workload, one.run.schedule, one.run.link_names, config.name, *reasons, &config.machine};
  page.shares = analyze::mean_shares(one.stages, one.step_ps);
  return write_run_page(invocation, page);
}

Result<analyze::LlmForecast> forecast(Invocation& invocation, const llm::Catalog& catalog,
                                      const job::LlmConfig& config) {
  auto result =
      analyze::forecast_step({catalog, config.plan, config.device, config.machine, configured_pricing(config.network),
                              config.memory, kept_of_run(invocation, config.plan.ranks())},
                             invocation.diagnostics());
  if (result && !result->fits()) invocation.diagnostics().add(kDoesNotFit, [&] { return config.name; });
  return result;
}

std::string heading(const job::LlmConfig& config) {
  const llm::ParallelJob& job = config.plan.job;
  return fmt::format("{}\n{} on {} of {}: tensor {}{}, context {}, pipeline {}{}, expert {}, data {}{}\n", config.name,
                     config.plan.model.name, report::counted(static_cast<std::size_t>(config.plan.ranks()), "device"),
                     config.machine.name, job.tensor, job.sequence_parallel ? " with sequence" : "", job.context,
                     job.pipeline, job.interleave > 1 ? fmt::format(" x {} chunks", job.interleave) : "", job.expert,
                     job.data, job.zero_stage > 0 ? fmt::format(", ZeRO-{}", job.zero_stage) : "");
}

ExitCode show_one(Invocation& invocation, const job::LlmConfig& config, const analyze::LlmForecast& one) {
  report::Sheet steps = analyze::llm_steps_sheet();
  add_step(steps, config.name, one);
  std::vector<report::Sheet> sheets;
  sheets.push_back(std::move(steps));
  sheets.push_back(llm_axes_sheet(one));
  sheets.push_back(llm_path_sheet(one));
  sheets.push_back(llm_memory_sheet(one));
  sheets.push_back(llm_stages_sheet(one));
  // What pricing did is of interest where it did something: snapshots were taken, or another program was asked.
  if (config.network.mode == simulate::PricingMode::snapshot || one.run.report.asked > 0)
    for (report::Sheet& sheet : analyze::pricing_sheets(one.run.report)) sheets.push_back(std::move(sheet));
  if (invocation.json()) sheets.push_back(llm_memory_moments_sheet(one));
  if (invocation.has("sensitivity")) {
    const auto reasons =
        analyze::find_reasons(one.workload, one.run.schedule, {.path = true}, invocation.diagnostics());
    if (!reasons) return invocation.fail(reasons.error());
    sheets.push_back(analyze::reactions_sheet(reasons->reactions, one.step_ps));
  }
  if (invocation.has("edges")) sheets.push_back(analyze::llm_edges_sheet(one.workload));
  if (invocation.has("output")) {
    const Status exported =
        job::export_schedule(one.workload, one.run.schedule, one.run.link_names, invocation.text("output"));
    if (!exported) return invocation.fail(exported.error());
  }
  if (invocation.has("manifest")) {
    if (!one.run.manifest)
      return invocation.fail_usage({"only the mode snapshot has a manifest", "network: {mode: snapshot}"});
    if (const Status written = write_whole_file(invocation.text("manifest"), one.run.manifest->to_json()); !written)
      return invocation.fail(written.error());
  }
  if (invocation.has("et")) {
    const auto written = job::write_step_files(one.workload, config.machine, invocation.text("et"));
    if (!written) return invocation.fail(written.error());
  }
  for (const report::Sheet& sheet : sheets) write_sheet(invocation.data(), sheet);
  if (invocation.csv()) {
    for (const report::Sheet& sheet : sheets) invocation.text() += to_csv(sheet) + "\n";
    const Status drawn = draw_step(invocation, config, one);
    return drawn ? ExitCode::ok : invocation.fail(drawn.error());
  }
  invocation.text() = heading(config);
  for (const report::Sheet& sheet : sheets) {
    report::SheetView view = invocation.view();
    view.rows = report::kShownRows;
    invocation.text() += "\n" + to_text(sheet, view);
  }
  if (invocation.has("et")) {
    const std::string folder = report::shell_quote(invocation.text("et"));
    invocation.text() += fmt::format(
        "\nNext: what does ASTRA-sim say?  orrery simulate --compat {2} --workload {0}/step --network {0}/network.yml "
        "--system "
        "{0}/system.json "
        "--memory {0}/memory.json{1}\n",
        folder, one.workload.roles.empty() ? "" : fmt::format(" --comm-group {}/step.groups.json", folder),
        config.machine.network.size() > 1 ? "astra-aware-md" : "astra-aware");
  }
  const Status drawn = draw_step(invocation, config, one);
  return drawn ? ExitCode::ok : invocation.fail(drawn.error());
}

/// The plans of a configuration, with all that they refer to.
struct ConfiguredSweep {
  ConfiguredSweep(const llm::Catalog& known, job::LlmConfig read)
      : config(std::move(read)),
        input{known, config.plan, config.device, config.machine, config.network, config.memory},
        plans(input, config.sweep) {}

  const job::LlmConfig config;
  const analyze::LlmForecastInput input;
  const analyze::LlmPlanSweep plans;
};

/// The same where nobody else has the catalog.
class SweepOfOtherProcess : public Sweep {
 public:
  SweepOfOtherProcess(std::unique_ptr<llm::Catalog> catalog, job::LlmConfig config)
      : catalog_(std::move(catalog)), configured_(*catalog_, std::move(config)) {}
  [[nodiscard]] std::size_t size() const override { return configured_.plans.size(); }
  [[nodiscard]] std::vector<Result<std::string>> solve(std::span<const std::size_t> points) const override {
    return configured_.plans.solve(points);
  }

 private:
  std::unique_ptr<llm::Catalog> catalog_;
  ConfiguredSweep configured_;
};

ExitCode show_sweep(Invocation& invocation, SweepSession& session, const llm::Catalog& catalog, job::LlmConfig read) {
  const ConfiguredSweep configured(catalog, std::move(read));
  const job::LlmConfig& config = configured.config;
  Progress progress = invocation.progress("trying plans", 0);
  progress.count("plans");
  const auto answers = session.run(configured.plans, [&](std::size_t done) { progress.add(done); });
  if (!answers) return invocation.fail(answers.error());
  const auto sweep = analyze::rank_plans(configured.plans, *answers, kConfirmedPlans, invocation.diagnostics());
  progress.finish();
  if (!sweep) return invocation.fail(sweep.error());
  if (sweep->unpriced > 0) invocation.diagnostics().add_many(kUnpriced, sweep->unpriced, sweep->first_unpriced);
  if (sweep->entries.empty()) {
    return invocation.fail(Error{fmt::format("no way to cut {} up for {} is possible", config.plan.model.name,
                                             report::counted(config.plan.job.devices, "device")),
                                 invocation.operands()[0], Error::kNoOffset,
                                 "what sweep: lists does not go with the model and the devices"});
  }
  const report::Sheet plans = llm_sweep_sheet(*sweep), impossible = llm_impossible_sheet(*sweep);
  write_sheet(invocation.data(), plans);
  write_sheet(invocation.data(), impossible);
  if (invocation.csv()) {
    invocation.text() = to_csv(plans);
    return ExitCode::ok;
  }
  report::SheetView view = invocation.view();
  view.rows = report::kShownRows;
  invocation.text() =
      fmt::format("{}: {} for {}\n\n{}\n{}", config.name, report::counted(sweep->entries.size(), "plan"),
                  report::counted(config.plan.job.devices, "device"), to_text(plans, view),
                  analyze::pareto_plot(*sweep, config.device.memory_bytes(), invocation.columns()));
  if (impossible.rows() > 0) invocation.text() += "\n" + to_text(impossible, invocation.view());
  return ExitCode::ok;
}

}  // namespace

std::unique_ptr<Sweep> open_llm_sweep(Invocation& invocation) {
  if (!invocation.has("sweep") || invocation.operands().size() != 1) return nullptr;
  auto catalog = job::read_shipped_catalog();
  if (!catalog) return nullptr;
  auto known = std::make_unique<llm::Catalog>(std::move(*catalog));
  auto config = job::read_llm_config(invocation.operands()[0], *known);
  if (!config || !choose_model(invocation, config->machine, config->network)) return nullptr;
  return std::make_unique<SweepOfOtherProcess>(std::move(known), std::move(*config));
}

ExitCode run_llm_steps(Invocation& invocation, const llm::Catalog& catalog) {
  for (const std::string_view flag : {"hardware", "schedule"}) {
    if (invocation.has(flag))
      return invocation.fail_usage({.message = fmt::format("--{} goes with tables, not with configurations", flag)});
  }
  if (const auto error = prepare_run_page(invocation)) return invocation.fail_usage(*error);
  for (const std::string_view flag : kOneStepFlags) {
    if (invocation.has(flag) && (invocation.has("sweep") || invocation.operands().size() > 1))
      return invocation.fail_usage({.message = fmt::format("--{} is about one step, not about several", flag),
                                    .hint = "one configuration, without --sweep"});
  }
  std::vector<job::LlmConfig> configs;
  for (const std::string& path : invocation.operands()) {
    auto config = job::read_llm_config(path, catalog);
    if (!config) return invocation.fail(config.error());
    if (const Status chosen = choose_model(invocation, config->machine, config->network); !chosen)
      return invocation.fail(chosen.error());
    if (auto added = invocation.add_input(path); !added) return invocation.fail(added.error());
    configs.push_back(std::move(*config));
  }
  if (invocation.has("sweep")) {
    if (configs.size() > 1) return invocation.fail_usage({.message = "a sweep takes one configuration"});
    if (configs[0].inference || configs[0].product || configs[0].plan.lstm)
      return invocation.fail_usage(
          {.message = "a sweep is over ways to train a transformer", .hint = "a configuration with training:"});
    if (const auto error = check_checkpoint(invocation)) return invocation.fail_usage(*error);
    SweepSession session(invocation.context(), checkpoint_of(invocation));
    return show_sweep(invocation, session, catalog, std::move(configs[0]));
  }
  if (const auto error = check_checkpoint(invocation)) return invocation.fail_usage(*error);
  if (configs.size() == 1 && (configs[0].inference || configs[0].product))
    return show_serving(invocation, catalog, configs[0]);
  report::Sheet steps = analyze::llm_steps_sheet();
  ServingSheets others;
  for (const job::LlmConfig& config : configs) {
    if (config.inference || config.product) {
      if (const Status added = add_serving(invocation, catalog, config, others); !added)
        return invocation.fail(added.error());
      continue;
    }
    auto one = forecast(invocation, catalog, config);
    if (!one) return invocation.fail(one.error());
    if (configs.size() == 1) return show_one(invocation, config, *one);
    add_step(steps, config.name, *one);
  }
  for (const report::Sheet* sheet : {&steps, &others.inference, &others.products}) {
    if (sheet->rows() == 0) continue;
    write_sheet(invocation.data(), *sheet);
    if (!invocation.text().empty()) invocation.text() += "\n";
    invocation.text() += invocation.csv() ? to_csv(*sheet) : to_text(*sheet, invocation.view());
  }
  return ExitCode::ok;
}

}  // namespace orrery::cli
