#include "ask/workloads/llm.h"

#include <fmt/format.h>

#include "analyze/forecast/llm_sheets.h"
#include "analyze/forecast/llm_sweep.h"
#include "analyze/schedule/pricing_sheets.h"
#include "analyze/schedule/schedule_reasons.h"
#include "analyze/schedule/schedule_sheets.h"
#include "ask/sweep_session.h"
#include "ask/workloads/llm_serving.h"
#include "ask/workloads/run_page.h"
#include "base/io/output_file.h"
#include "job/read/step_files.h"
#include "job/shipped/llm_config.h"
#include "job/shipped/shipped_catalog.h"
#include "job/write/schedule_export.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kDoesNotFit{"M107", Severity::warning, "the step does not fit into the device's memory",
                                     "its time is what it would take if it did; recompute, shard or split more"};

constexpr DiagnosticKind kUnpriced{"M108", Severity::warning,
                                   "plans whose communication the machine has no price for were left out",
                                   "the other plans are ranked without them"};
constexpr std::size_t kConfirmedPlans = 3;

Status draw_step(report::Answer& answer, Context& context, const LlmRequest& request, const job::LlmConfig& config,
                 const analyze::LlmForecast& one) {
  if (!request.step.report) return {};
  const auto reasons = analyze::find_reasons(one.workload, one.run.schedule, {.path = true}, context.diagnostics());
  if (!reasons) return reasons.error();
  RunOnPage page{"llm", one.workload, one.run.schedule, one.run.link_names, config.name, *reasons, &config.machine};
  page.shares = analyze::mean_shares(one.stages, one.step_ps);
  page.expected = analyze::interval_sentence("A step", one.step_ps, one.interval);
  page.written_to = request.step.output.value_or("");
  return write_run_page(answer, context, request.step.report, std::move(page));
}

Result<analyze::LlmForecast> forecast(Context& context, const LlmRequest& request, const llm::Catalog& catalog,
                                      const job::LlmConfig& config) {
  auto result =
      analyze::forecast_step({catalog, config.plan, config.device, config.machine, configured_pricing(config, catalog),
                              config.memory, kept_of_run(request.step, config.plan.ranks())},
                             context.diagnostics());
  if (result && !result->fits()) context.diagnostics().add(kDoesNotFit, [&] { return config.name; });
  return result;
}

std::string step_heading(const job::LlmConfig& config) {
  const llm::ParallelJob& job = config.plan.job;
  return fmt::format("{}\n{} on {} of {}: tensor {}{}, context {}, pipeline {}{}, expert {}, data {}{}\n", config.name,
                     config.plan.model.name, report::counted(static_cast<std::size_t>(config.plan.ranks()), "device"),
                     config.machine.name, job.tensor, job.sequence_parallel ? " with sequence" : "", job.context,
                     job.pipeline, job.interleave > 1 ? fmt::format(" x {} chunks", job.interleave) : "", job.expert,
                     job.data, job.zero_stage > 0 ? fmt::format(", ZeRO-{}", job.zero_stage) : "");
}

/// The files that are asked for.
Status write_step(const LlmRequest& request, const job::LlmConfig& config, const analyze::LlmForecast& one) {
  if (request.step.output) {
    const Status exported =
        job::export_schedule(one.workload, one.run.schedule, one.run.link_names, *request.step.output);
    if (!exported) return exported;
  }
  if (request.step.manifest) {
    if (!one.run.manifest) return misuse("only the mode snapshot has a manifest", "network: {mode: snapshot}");
    if (const Status written = write_whole_file(*request.step.manifest, one.run.manifest->to_json()); !written)
      return written;
  }
  if (!request.step.et) return {};
  const auto written = job::write_step_files(one.workload, config.machine, *request.step.et);
  return written ? Status() : Status(written.error());
}

Result<report::Answer> show_one(Context& context, const LlmRequest& request, const job::LlmConfig& config,
                                const llm::Catalog& catalog, const analyze::LlmForecast& one) {
  report::Answer answer = context.answer();
  const auto add = [&](report::Sheet sheet) {
    answer.gap().table(std::move(sheet), {.view = {.rows = report::kShownRows}});
  };
  report::Sheet steps = analyze::llm_steps_sheet();
  add_step(steps, config.name, one);
  answer.text(step_heading(config));
  add(std::move(steps));
  add(llm_axes_sheet(one));
  add(llm_path_sheet(one));
  add(llm_memory_sheet(one));
  add(llm_stages_sheet(one));
  // What pricing did is of interest where it did something: snapshots were taken, or another program was asked.
  if (config.network.mode == simulate::PricingMode::snapshot || one.run.report.asked > 0)
    for (report::Sheet& sheet : analyze::pricing_sheets(one.run.report)) add(std::move(sheet));
  answer.table([&] { return llm_memory_moments_sheet(one); }, {.readers = report::Readers::programs});
  if (request.step.sensitivity) {
    const auto reasons = analyze::find_reasons(one.workload, one.run.schedule, {.path = true}, context.diagnostics());
    if (!reasons) return reasons.error();
    add(analyze::reactions_sheet(reasons->reactions, one.step_ps));
  }
  if (request.step.edges) {
    const auto measured = measured_prices(configured_pricing(config, catalog), config.machine);
    if (!measured) return measured.error();
    add(analyze::llm_edges_sheet(one.workload, *measured ? &**measured : nullptr));
  }
  if (const Status written = write_step(request, config, one); !written) return written.error();
  if (request.step.et) {
    const std::string folder = report::shell_quote(*request.step.et);
    answer.gap().next(
        "what does ASTRA-sim say?",
        fmt::format("orrery simulate --compat {2} --workload {0}/step --network {0}/network.yml --system "
                    "{0}/system.json --memory {0}/memory.json{1}",
                    folder, one.workload.roles.empty() ? "" : fmt::format(" --comm-group {}/step.groups.json", folder),
                    config.machine.network.size() > 1 ? "astra-aware-md" : "astra-aware"));
  }
  if (const Status drawn = draw_step(answer, context, request, config, one); !drawn) return drawn.error();
  return answer;
}

/// The plans of a configuration, with all that they refer to.
struct ConfiguredSweep {
  ConfiguredSweep(const llm::Catalog& known, job::LlmConfig read)
      : config(std::move(read)),
        input{known, config.plan, config.device, config.machine, configured_pricing(config, known), config.memory},
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

Result<report::Answer> show_sweep(Context& context, SweepSession& session, const std::string& path,
                                  const llm::Catalog& catalog, job::LlmConfig read) {
  const ConfiguredSweep configured(catalog, std::move(read));
  const job::LlmConfig& config = configured.config;
  Progress progress = context.progress("trying plans", 0);
  progress.count("plans");
  const auto answers = session.run(configured.plans, [&](std::size_t done) { progress.add(done); });
  if (!answers) return answers.error();
  const auto sweep = analyze::rank_plans(configured.plans, *answers, kConfirmedPlans, context.diagnostics());
  progress.finish();
  if (!sweep) return sweep.error();
  if (sweep->unpriced > 0) context.diagnostics().add_many(kUnpriced, sweep->unpriced, sweep->first_unpriced);
  if (sweep->entries.empty()) {
    return Error{fmt::format("no way to cut {} up for {} is possible", config.plan.model.name,
                             report::counted(config.plan.job.devices, "device")),
                 path, Error::kNoOffset, "what sweep: lists does not go with the model and the devices"};
  }
  report::Answer answer = context.answer();
  answer.headline(fmt::format("{}: {} for {}", config.name, report::counted(sweep->entries.size(), "plan"),
                              report::counted(config.plan.job.devices, "device")));
  answer.gap().table(llm_sweep_sheet(*sweep), {.view = {.rows = report::kShownRows}});
  if (answer.for_people())
    answer.gap().text(analyze::pareto_plot(*sweep, config.device.memory_bytes(), answer.columns()));
  answer.table(llm_impossible_sheet(*sweep), {.readers = report::Readers::people_and_programs, .after_gap = true});
  return answer;
}

/// What is told or written of one step alone. What would be ignored is refused: nobody should look for a file that was
/// never written.
Status refuse_step_outputs(const LlmStepOutputs& step, std::string_view why, std::string_view hint) {
  const std::pair<bool, const char*> of_one_step[] = {{step.output.has_value(), "output"},
                                                      {step.et.has_value(), "et"},
                                                      {step.manifest.has_value(), "manifest"},
                                                      {step.sensitivity, "sensitivity"},
                                                      {step.edges, "edges"}};
  for (const auto& [is_given, flag] : of_one_step) {
    if (is_given) return misuse(fmt::format("--{} is about one step, {}", flag, why), std::string(hint));
  }
  return {};
}

Status check_one_step(const LlmRequest& request) {
  if (!request.sweep && request.configs.size() <= 1) return {};
  constexpr std::string_view kWhy = "not about several", kHint = "one configuration, without --sweep";
  if (request.step.report) return misuse(fmt::format("--report is about one step, {}", kWhy), std::string(kHint));
  return refuse_step_outputs(request.step, kWhy, kHint);
}

Result<job::LlmConfig> read_config(const LlmRequest& request, const std::string& path, const llm::Catalog& catalog) {
  auto config = job::read_llm_config(path, catalog);
  if (!config) return config;
  if (const Status chosen = choose_model(request.network, config->machine, config->network); !chosen)
    return chosen.error();
  return config;
}

Result<job::LlmConfig> load_config(Context& context, const LlmRequest& request, const std::string& path,
                                   const llm::Catalog& catalog) {
  auto config = read_config(request, path, catalog);
  if (!config) return config;
  if (const Status added = context.add_input(path); !added) return added.error();
  return config;
}

Result<report::Answer> sweep_plans(Context& context, const LlmRequest& request, const llm::Catalog& catalog) {
  if (request.configs.size() > 1) return misuse("a sweep takes one configuration");
  SweepSession session(context, request.checkpoint);
  const std::string& path = request.configs[0];
  auto config = load_config(context, request, path, catalog);
  if (!config) return config.error();
  if (config->serving) return sweep_serving(context, catalog, *config);
  if (config->inference || config->product || config->plan.lstm)
    return misuse("a sweep is over ways to train a transformer or settings of a serving engine",
                  "a configuration with training: or serving:");
  return show_sweep(context, session, path, catalog, std::move(*config));
}

/// A row each.
Result<report::Answer> compare_steps(Context& context, const LlmRequest& request, const llm::Catalog& catalog,
                                     const std::vector<job::LlmConfig>& configs) {
  report::Sheet steps = analyze::llm_steps_sheet();
  ServingSheets others;
  for (const job::LlmConfig& config : configs) {
    if (config.serving)
      return misuse(
          fmt::format("'{}' is about requests to a serving engine, and is not compared with steps", config.name),
          "one configuration with serving: at a time");
    if (config.inference || config.product) {
      if (const Status added = add_serving(context, request.step, catalog, config, others); !added)
        return added.error();
      continue;
    }
    const auto one = forecast(context, request, catalog, config);
    if (!one) return one.error();
    add_step(steps, config.name, *one);
  }
  report::Answer answer = context.answer();
  for (report::Sheet* sheet : {&steps, &others.inference, &others.products}) {
    if (sheet->rows() > 0) answer.table(std::move(*sheet), {.after_gap = !answer.sheets().empty()});
  }
  return answer;
}

}  // namespace

std::unique_ptr<Sweep> open_llm_sweep(const LlmRequest& request) {
  if (!request.sweep || request.configs.size() != 1) return nullptr;
  auto catalog = job::read_shipped_catalog();
  if (!catalog) return nullptr;
  auto known = std::make_unique<llm::Catalog>(std::move(*catalog));
  auto config = read_config(request, request.configs[0], *known);
  if (!config) return nullptr;
  return std::make_unique<SweepOfOtherProcess>(std::move(known), std::move(*config));
}

Result<report::Answer> run(const LlmRequest& request, Context& context) {
  const auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  if (const Status ready = prepare_run_page(context, request.step.report); !ready) return ready.error();
  if (const Status good = check_one_step(request); !good) return good.error();
  if (const Status good = check_checkpoint(request.checkpoint, request.sweep); !good) return good.error();
  if (request.sweep) return sweep_plans(context, request, *catalog);
  std::vector<job::LlmConfig> configs;
  for (const std::string& path : request.configs) {
    auto config = load_config(context, request, path, *catalog);
    if (!config) return config.error();
    configs.push_back(std::move(*config));
  }
  if (const Status good = check_serving_outputs(request.serving, configs); !good) return good.error();
  if (configs.size() == 1 && configs[0].serving) {
    const Status good = refuse_step_outputs(request.step, "and a serving engine takes many",
                                            "--timeline, --requests and --report are about them");
    if (!good) return good.error();
    return run_serving(context, request.serving, request.step.report, *catalog, configs[0]);
  }
  if (configs.size() != 1) return compare_steps(context, request, *catalog, configs);
  if (configs[0].inference || configs[0].product) return show_serving(context, request.step, *catalog, configs[0]);
  const auto one = forecast(context, request, *catalog, configs[0]);
  if (!one) return one.error();
  return show_one(context, request, configs[0], *catalog, *one);
}

}  // namespace orrery::ask
