#include "ask/workloads/serving_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyze/forecast/request_tail.h"
#include "analyze/forecast/serving_interval.h"
#include "analyze/forecast/serving_settings.h"
#include "analyze/forecast/serving_sheets.h"
#include "ask/workloads/run_page.h"
#include "base/io/output_file.h"
#include "base/numbers.h"
#include "job/write/serving_timeline.h"
#include "page/serving_page.h"
#include "report/counted.h"
#include "report/sheet_csv.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kSettingImpossible{"M118", Severity::warning,
                                            "settings under which some request cannot be served were left out",
                                            "the other settings are ranked without them"};

/// "300 requests through 2 replicas: at most 128 requests and 2048 tokens in a step, ..."
std::string served_sentence(const job::LlmConfig& config, std::size_t requests) {
  const llm::EnginePlan& engine = config.serving->engine;
  const std::string where =
      engine.disaggregation
          ? fmt::format("{} for prompts, {} for tokens", report::counted(engine.disaggregation->prefill, "replica"),
                        engine.disaggregation->decode)
          : report::counted(engine.replicas, "replica");
  const std::string stages = engine.stages > 1 ? fmt::format(" of {} stages", engine.stages) : "";
  return fmt::format("{} through {}{}: at most {} and {} tokens in a step, {} blocks of {} tokens{}{}",
                     report::counted(requests, "request"), where, stages,
                     report::counted(std::size_t{engine.limits.max_requests}, "request"),
                     engine.limits.max_batch_tokens, engine.limits.kv_blocks, engine.limits.block_tokens,
                     engine.limits.chunked_prefill ? ", prompts in pieces" : "",
                     engine.limits.prefix_cache ? ", what prompts have in common kept" : "");
}

/// Empty: times of steps were given.
std::string basis_sentence(std::string_view basis) {
  if (basis.empty()) return {};
  if (basis == "measured") return "Steps are sums of kernels that were measured on the device.";
  return fmt::format("Steps are sums of kernels by the tables of {}, a relative.", basis);
}

std::string serving_heading(const job::LlmConfig& config, std::size_t requests) {
  return fmt::format("{}\n{}\n", config.name, served_sentence(config, requests));
}

/// Of the slowest percent where nobody said otherwise.
Result<analyze::RequestTail> tail_of(const ServingOutputs& outputs, const job::LlmConfig& config,
                                     const job::ServingInputs& inputs, const llm::ServedRun& run) {
  return analyze::blame_tail(config.serving->engine, inputs.requests, *inputs.costs.middle, run,
                             outputs.blame.value_or(Tail()).share);
}

Status draw_page(report::Answer& answer, Context& context, const std::string& output, const job::LlmConfig& config,
                 const page::ServedOnPage& served) {
  return write_made_page(answer, output,
                         page::make_serving_page(served, fmt::format("llm, {}", config.name), source_of_run(context),
                                                 context.diagnostics()));
}

/// The files that are asked for.
Status write_files(const ServingOutputs& outputs, const llm::Requests& requests, const llm::ServedRun& run,
                   const std::vector<llm::StepRecord>& steps, const analyze::ServingInterval* interval) {
  if (outputs.requests) {
    const Status written =
        write_whole_file(*outputs.requests, report::to_csv(analyze::requests_sheet(run, requests, interval)));
    if (!written) return written;
  }
  return outputs.timeline ? job::export_serving(requests, run, steps, *outputs.timeline) : Status();
}

void tell_tail(report::Answer& answer, analyze::RequestTail tail) {
  const report::Shown some{.view = {.rows = report::kShownRows, .rest = "requests"}};
  answer.gap().headline(tail.sentence).gap();
  answer.table(std::move(tail.parts)).gap();
  answer.table(std::move(tail.requests), some).gap();
  answer.table(std::move(tail.others), some);
}

/// None: times of steps were given, without any.
Result<std::optional<analyze::ServingInterval>> interval_of(const llm::ServingPlan& plan,
                                                            const job::ServingInputs& inputs,
                                                            const analyze::ServingSummary& summary) {
  if (!inputs.costs.range().has_ends()) return std::optional<analyze::ServingInterval>();
  auto found = analyze::serving_interval({plan, inputs.requests, inputs.costs.range()}, summary);
  if (!found) return found.error();
  return std::optional(std::move(*found));
}

/// The run and what it says of every request.
Result<report::Answer> show_run(Context& context, const ServingOutputs& outputs,
                                const std::optional<std::string>& output, const job::LlmConfig& config,
                                const job::ServingInputs& inputs) {
  const llm::ServingPlan& plan = *config.serving;
  std::vector<llm::StepRecord> steps;
  llm::StepWatcher watcher;
  if (outputs.timeline) watcher = [&](const llm::StepRecord& step, const llm::Replica&) { steps.push_back(step); };
  const auto run = llm::serve(plan.engine, inputs.requests, *inputs.costs.middle, watcher);
  if (!run) return run.error();
  const analyze::ServingSummary summary = analyze::summarise(*run, inputs.requests, plan.objectives);
  const auto measured = interval_of(plan, inputs, summary);
  if (!measured) return measured.error();
  const analyze::ServingInterval* interval = *measured ? &**measured : nullptr;
  if (const Status written = write_files(outputs, inputs.requests, *run, steps, interval); !written)
    return written.error();
  report::Answer answer = context.answer();
  answer.text(serving_heading(config, inputs.requests.size())).gap();
  answer.facts().field("name", config.name).key("summary").begin_object();
  analyze::tell_summary(answer.facts(), summary, interval);
  answer.facts().end_object();
  if (!inputs.basis.empty()) answer.facts().field("basis", inputs.basis);
  constexpr auto kForPeople = report::Readers::people;
  answer.table(analyze::serving_times_sheet(summary, interval), {.readers = kForPeople}).gap();
  answer.table(analyze::serving_totals_sheet(summary, plan.objectives), {.readers = kForPeople});
  if (outputs.blame || output) {
    auto tail = tail_of(outputs, config, inputs, *run);
    if (!tail) return tail.error();
    if (output) {
      const Status drawn = draw_page(answer, context, *output, config,
                                     {.requests = inputs.requests,
                                      .run = *run,
                                      .summary = summary,
                                      .objectives = plan.objectives,
                                      .tail = *tail,
                                      .interval = interval,
                                      .basis = basis_sentence(inputs.basis),
                                      .about = served_sentence(config, inputs.requests.size())});
      if (!drawn) return drawn.error();
    }
    if (outputs.blame) tell_tail(answer, std::move(*tail));
  }
  if (!inputs.basis.empty()) answer.gap().line(basis_sentence(inputs.basis));
  if (outputs.timeline)
    answer.gap().next("what did each step and request look like?",
                      fmt::format("orrery report {} -o timeline.html", report::shell_quote(*outputs.timeline)));
  if (outputs.summary) return answer;
  answer.table([&] { return analyze::requests_sheet(*run, inputs.requests, interval); },
               {.view = {.rows = report::kShownRows, .rest = "requests", .largest = "ttft"}, .after_gap = true});
  answer.table([&] { return analyze::request_blame_sheet(*run, inputs.requests); },
               {.readers = report::Readers::programs});
  return answer;
}

/// The page has the run at the rate of its own, too, whose requests it shows.
Status draw_rates(report::Answer& answer, Context& context, const ServingOutputs& outputs, const std::string& output,
                  const job::LlmConfig& config, const job::ServingInputs& inputs,
                  const std::vector<analyze::ServingSetting>& rates) {
  const llm::ServingPlan& plan = *config.serving;
  const auto run = llm::serve(plan.engine, inputs.requests, *inputs.costs.middle);
  if (!run) return run.error();
  const auto tail = tail_of(outputs, config, inputs, *run);
  if (!tail) return tail.error();
  const analyze::ServingSummary summary = analyze::summarise(*run, inputs.requests, plan.objectives);
  const auto interval = interval_of(plan, inputs, summary);
  if (!interval) return interval.error();
  return draw_page(answer, context, output, config,
                   {.requests = inputs.requests,
                    .run = *run,
                    .summary = summary,
                    .objectives = plan.objectives,
                    .tail = *tail,
                    .rates = rates,
                    .interval = *interval ? &**interval : nullptr,
                    .basis = basis_sentence(inputs.basis),
                    .about = served_sentence(config, inputs.requests.size())});
}

Result<report::Answer> show_rates(Context& context, const ServingOutputs& outputs,
                                  const std::optional<std::string>& output, const job::LlmConfig& config,
                                  const job::ServingInputs& inputs) {
  if (config.serving->engine.closed)
    return misuse("a closed loop has no rate: each request that ends brings the next", "leave out closed: or --rates");
  const auto settings = analyze::run_rates(*config.serving, inputs.requests, inputs.costs.range(), outputs.rates);
  if (!settings) return settings.error();
  report::Answer answer = context.answer();
  answer.text(serving_heading(config, inputs.requests.size())).gap();
  tell_settings(answer, "rates", *settings);
  if (!output) return answer;
  if (const Status drawn = draw_rates(answer, context, outputs, *output, config, inputs, *settings); !drawn)
    return drawn.error();
  return answer;
}

}  // namespace

Result<job::ServingInputs> open_serving_inputs(Context& context, const llm::Catalog& catalog,
                                               const job::LlmConfig& config) {
  auto inputs = job::open_serving(config, catalog);
  if (!inputs) return inputs.error();
  for (const std::string& file : inputs->files) {
    if (const Status added = context.add_input(file); !added) return added.error();
  }
  return inputs;
}

void tell_settings(report::Answer& answer, std::string_view key, const std::vector<analyze::ServingSetting>& settings) {
  analyze::tell_settings(answer.facts(), key, settings);
  answer.table([&] { return analyze::settings_sheet(std::string(key), settings); },
               {.readers = report::Readers::people_and_tables});
}

Status take_rates(std::string_view text, std::vector<double>& rates) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto rate = parse_finite(text.substr(at, end - at));
    if (!rate || *rate <= 0) {
      Error error = misuse(fmt::format("'{}' is no rate", text.substr(at, end - at)), "requests per second: 1,2,4");
      error.offset = at;
      return error;
    }
    rates.push_back(*rate);
    at = end + 1;
  }
  return {};
}

Status take_tail(std::string_view text, std::optional<Tail>& tail) {
  constexpr std::string_view kBegin = "ttft:p";
  const auto percent = text.starts_with(kBegin) ? parse_finite(text.substr(kBegin.size())) : std::nullopt;
  if (!percent || *percent < 0 || *percent >= 100)
    return misuse(fmt::format("'{}' is no tail of requests", text), "ttft:p99 is the slowest percent of first tokens");
  tail = Tail{*percent / 100};
  return {};
}

Status check_serving_outputs(const ServingOutputs& outputs, const std::vector<job::LlmConfig>& configs) {
  const std::array<std::pair<bool, const char*>, 5> given = {{{outputs.summary, "summary"},
                                                              {outputs.requests.has_value(), "requests"},
                                                              {outputs.timeline.has_value(), "timeline"},
                                                              {!outputs.rates.empty(), "rates"},
                                                              {outputs.blame.has_value(), "blame"}}};
  const bool serves = configs.size() == 1 && configs[0].serving;
  if (outputs.timeline && !outputs.timeline->ends_with(".json") && !outputs.timeline->ends_with(".json.gz"))
    return misuse(fmt::format("'{}' is no name of a timeline", *outputs.timeline), "FILE.json or FILE.json.gz");
  for (const auto& [is_given, flag] : given) {
    if (is_given && !serves)
      return misuse(fmt::format("--{} is about requests to one serving engine", flag), "a configuration with serving:");
    if (is_given && !outputs.rates.empty() && std::string_view(flag) != "rates" && std::string_view(flag) != "summary")
      return misuse(fmt::format("--{} is about one run, and --rates makes several", flag));
  }
  return {};
}

Result<report::Answer> run_serving(Context& context, const ServingOutputs& outputs,
                                   const std::optional<std::string>& page, const llm::Catalog& catalog,
                                   const job::LlmConfig& config) {
  const auto inputs = open_serving_inputs(context, catalog, config);
  if (!inputs) return inputs.error();
  return outputs.rates.empty() ? show_run(context, outputs, page, config, *inputs)
                               : show_rates(context, outputs, page, config, *inputs);
}

Result<report::Answer> sweep_serving(Context& context, const llm::Catalog& catalog, const job::LlmConfig& config) {
  const auto inputs = open_serving_inputs(context, catalog, config);
  if (!inputs) return inputs.error();
  const bool has_shapes =
      !config.serving_space.tensor.empty() || (config.serving->engine.experts_shared && config.served);
  const auto variants = has_shapes ? job::open_shapes(config, catalog)
                                   : Result<std::vector<job::ShapeVariant>>(std::vector<job::ShapeVariant>{});
  if (!variants) return variants.error();
  std::vector<analyze::ShapeCost> costs;
  std::string why_not;
  for (const job::ShapeVariant& variant : *variants) {
    costs.push_back({variant.tensor, variant.replicas,
                     variant.costs ? std::optional(variant.costs->range()) : std::nullopt, variant.kv_blocks});
    if (why_not.empty()) why_not = variant.why_not;
  }
  if (costs.empty())
    costs.push_back({config.served ? config.served->shape.job.tensor : 1, 0, inputs->costs.range(),
                     config.serving->engine.limits.kv_blocks});
  const auto sweep = analyze::run_settings(*config.serving, config.serving_space, inputs->requests, costs, why_not);
  if (!sweep) return sweep.error();
  if (sweep->impossible > 0)
    context.diagnostics().add_many(kSettingImpossible, sweep->impossible, sweep->first_impossible);
  report::Answer answer = context.answer();
  answer
      .headline(fmt::format("{}: {} of the engine for {}", config.name,
                            report::counted(sweep->settings.size(), "setting"),
                            report::counted(inputs->requests.size(), "request")))
      .gap();
  tell_settings(answer, "sweep", sweep->settings);
  return answer;
}

}  // namespace orrery::ask
