#include "ask/workloads/serving_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyze/forecast/request_tail.h"
#include "analyze/forecast/serving_interval.h"
#include "analyze/forecast/serving_settings.h"
#include "base/io/output_file.h"
#include "base/numbers.h"
#include "report/counted.h"
#include "report/sheet_csv.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kSettingImpossible{"M115", Severity::warning,
                                            "settings under which some request cannot be served were left out",
                                            "the other settings are ranked without them"};

std::string serving_heading(const job::LlmConfig& config, std::size_t requests) {
  const llm::EnginePlan& engine = config.serving->engine;
  const std::string where =
      engine.disaggregation
          ? fmt::format("{} for prompts, {} for tokens", report::counted(engine.disaggregation->prefill, "replica"),
                        engine.disaggregation->decode)
          : report::counted(engine.replicas, "replica");
  return fmt::format("{}\n{} through {}: at most {} and {} tokens in a step, {} blocks of {} tokens{}{}\n", config.name,
                     report::counted(requests, "request"), where,
                     report::counted(std::size_t{engine.limits.max_requests}, "request"),
                     engine.limits.max_batch_tokens, engine.limits.kv_blocks, engine.limits.block_tokens,
                     engine.limits.chunked_prefill ? ", prompts in pieces" : "",
                     engine.limits.prefix_cache ? ", what prompts have in common kept" : "");
}

/// The run and what it says of every request.
Result<report::Answer> show_run(Context& context, const ServingOutputs& outputs, const job::LlmConfig& config,
                                const job::ServingInputs& inputs) {
  const llm::ServingPlan& plan = *config.serving;
  const auto run = llm::serve(plan.engine, inputs.requests, *inputs.cost);
  if (!run) return run.error();
  const analyze::ServingSummary summary = analyze::summarise(*run, inputs.requests, plan.objectives);
  std::optional<analyze::ServingInterval> measured;
  if (inputs.low && inputs.high) {
    auto found = analyze::serving_interval({plan, inputs.requests, *inputs.cost, *inputs.low, *inputs.high}, summary);
    if (!found) return found.error();
    measured = std::move(*found);
  }
  const analyze::ServingInterval* interval = measured ? &*measured : nullptr;
  if (outputs.requests) {
    const Status written =
        write_whole_file(*outputs.requests, report::to_csv(analyze::requests_sheet(*run, inputs.requests, interval)));
    if (!written) return written.error();
  }
  report::Answer answer = context.answer();
  answer.text(serving_heading(config, inputs.requests.size())).gap();
  answer.facts().field("name", config.name).key("summary").begin_object();
  analyze::tell_summary(answer.facts(), summary, interval);
  answer.facts().end_object();
  if (!inputs.basis.empty()) answer.facts().field("basis", inputs.basis);
  constexpr auto kForPeople = report::Readers::people;
  answer.table(analyze::serving_times_sheet(summary, interval), {.readers = kForPeople}).gap();
  answer.table(analyze::serving_totals_sheet(summary, plan.objectives), {.readers = kForPeople});
  if (outputs.blame) {
    auto tail = analyze::blame_tail(plan.engine, inputs.requests, *inputs.cost, *run, outputs.blame->share);
    if (!tail) return tail.error();
    answer.gap().headline(tail->sentence).gap();
    answer.table(std::move(tail->parts)).gap();
    answer.table(std::move(tail->others), {.view = {.rows = report::kShownRows, .rest = "requests"}});
  }
  if (!inputs.basis.empty())
    answer.gap().line(inputs.basis == "measured"
                          ? "Steps are sums of kernels that were measured on the device."
                          : fmt::format("Steps are sums of kernels by the tables of {}, a relative.", inputs.basis));
  if (outputs.summary) return answer;
  answer.table([&] { return analyze::requests_sheet(*run, inputs.requests, interval); },
               {.view = {.rows = report::kShownRows, .rest = "requests", .largest = "ttft"}, .after_gap = true});
  answer.table([&] { return analyze::request_blame_sheet(*run, inputs.requests); },
               {.readers = report::Readers::programs});
  return answer;
}

Result<report::Answer> show_rates(Context& context, const ServingOutputs& outputs, const job::LlmConfig& config,
                                  const job::ServingInputs& inputs) {
  if (config.serving->engine.closed)
    return misuse("a closed loop has no rate: each request that ends brings the next", "leave out closed: or --rates");
  const auto settings = analyze::run_rates(*config.serving, inputs.requests, *inputs.cost, outputs.rates);
  if (!settings) return settings.error();
  report::Answer answer = context.answer();
  answer.text(serving_heading(config, inputs.requests.size())).gap();
  tell_settings(answer, "rates", *settings);
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
  const std::array<std::pair<bool, const char*>, 4> given = {{{outputs.summary, "summary"},
                                                              {outputs.requests.has_value(), "requests"},
                                                              {!outputs.rates.empty(), "rates"},
                                                              {outputs.blame.has_value(), "blame"}}};
  const bool serves = configs.size() == 1 && configs[0].serving;
  for (const auto& [is_given, flag] : given) {
    if (is_given && !serves)
      return misuse(fmt::format("--{} is about requests to one serving engine", flag), "a configuration with serving:");
    if (is_given && !outputs.rates.empty() && std::string_view(flag) != "rates" && std::string_view(flag) != "summary")
      return misuse(fmt::format("--{} is about one run, and --rates makes several", flag));
  }
  return {};
}

Result<report::Answer> run_serving(Context& context, const ServingOutputs& outputs, const llm::Catalog& catalog,
                                   const job::LlmConfig& config) {
  const auto inputs = open_serving_inputs(context, catalog, config);
  if (!inputs) return inputs.error();
  return outputs.rates.empty() ? show_run(context, outputs, config, *inputs)
                               : show_rates(context, outputs, config, *inputs);
}

Result<report::Answer> sweep_serving(Context& context, const llm::Catalog& catalog, const job::LlmConfig& config) {
  const auto inputs = open_serving_inputs(context, catalog, config);
  if (!inputs) return inputs.error();
  const auto variants = config.serving_space.tensor.empty()
                            ? Result<std::vector<job::TensorVariant>>(std::vector<job::TensorVariant>{})
                            : job::open_tensors(config, catalog, config.serving_space.tensor);
  if (!variants) return variants.error();
  std::vector<analyze::TensorCost> costs;
  std::string why_not;
  for (const job::TensorVariant& variant : *variants) {
    costs.push_back({variant.tensor, variant.cost.get(), variant.kv_blocks});
    if (why_not.empty()) why_not = variant.why_not;
  }
  if (costs.empty())
    costs.push_back({config.served ? config.served->shape.job.tensor : 1, inputs->cost.get(),
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
