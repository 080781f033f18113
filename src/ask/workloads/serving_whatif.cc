#include "ask/workloads/serving_whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "analyze/whatif/serving_whatif.h"
#include "ask/workloads/serving_run.h"
#include "base/percent.h"
#include "job/shipped/shipped_catalog.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kTooLate{"W408", Severity::error, "a replica would fail after the last token",
                                  "the run is as it was; times count from the first arrival"};

Status check_factors(const ServingWhatIfRequest& request) {
  if (request.edits.empty()) return misuse("no edit given", "like: orrery whatif CONFIG.yml 'prompts * 0.5'");
  const bool scales = std::any_of(request.edits.begin(), request.edits.end(), [](const analyze::ServingEdit& edit) {
    return edit.action == analyze::EditRule::Action::scale;
  });
  if (!request.factors.empty() && !scales)
    return misuse("--sweep replaces the factor of a scaling edit, and there is none",
                  "like 'rate * 1' --sweep 0.5,1,2");
  return {};
}

void tell_figures(report::Facts& facts, std::string_view key, const analyze::ServingSummary& summary) {
  facts.key(key).begin_object();
  analyze::tell_summary(facts, summary);
  facts.end_object();
}

}  // namespace

Status parse_serving_edit(std::string_view text, std::vector<analyze::ServingEdit>& edits) {
  auto parsed = analyze::parse_serving_edit(std::string(text));
  if (const auto* problem = std::get_if<analyze::EditError>(&parsed)) {
    Error error = misuse(problem->message, problem->hint);
    error.offset = problem->position;
    return error;
  }
  edits.push_back(std::get<analyze::ServingEdit>(std::move(parsed)));
  return {};
}

Result<report::Answer> run(const ServingWhatIfRequest& request, Context& context) {
  if (const Status good = check_factors(request); !good) return good.error();
  const auto catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  const auto config = job::read_llm_config(request.config, *catalog);
  if (!config) return config.error();
  if (const Status added = context.add_input(request.config); !added) return added.error();
  if (!config->serving)
    return misuse(fmt::format("'{}' has no serving: what-if changes requests to a serving engine", config->name),
                  "of a training step: orrery llm CONFIG.yml --sweep, or --sensitivity");
  const auto inputs = open_serving_inputs(context, *catalog, *config);
  if (!inputs) return inputs.error();
  const llm::ServingPlan& plan = *config->serving;
  std::deque<job::ShapeVariant> shapes;
  const auto result = analyze::what_if(
      plan, inputs->requests, inputs->costs.range(),
      [&](double replicas) -> Result<analyze::ShapeCost> {
        auto shape =
            job::open_shape(*config, *catalog, config->served ? config->served->shape.job.tensor : 1, replicas);
        if (!shape) return shape.error();
        if (!shape->costs)
          return Error{fmt::format("with {}: {}", report::counted(replicas, "replica"), shape->why_not)};
        const job::ShapeVariant& kept = shapes.emplace_back(std::move(*shape));
        return analyze::ShapeCost{kept.tensor, kept.replicas, kept.costs->range(), kept.kv_blocks};
      },
      request.edits, request.factors);
  if (!result) return result.error();

  report::Answer answer = context.answer();
  if (result->missed) {
    context.diagnostics().add(kTooLate, [&] { return *result->missed; });
    answer.set_failed();
  }
  const auto sentence = [&](analyze::RequestMetric metric, std::string_view words) {
    const double before = result->before.of(metric).p99_ms, after = result->after.of(metric).p99_ms;
    const auto shown = [](double ms) { return format_duration(static_cast<TimePs>(ms * kPsPerMs)); };
    return fmt::format("{} {} -> {} ({:+.1f} %)", words, shown(before), shown(after), change_percent(before, after));
  };
  answer.headline(fmt::format("{}: P99 of {}, of {}.", config->name,
                              sentence(analyze::RequestMetric::ttft, "the first token"),
                              sentence(analyze::RequestMetric::latency, "latency")));
  answer.gap();
  if (answer.for_programs()) {
    answer.facts().field("name", config->name);
    tell_figures(answer.facts(), "before", result->before);
    tell_figures(answer.facts(), "after", result->after);
  }
  answer.table(analyze::serving_change_sheet(*result, plan.objectives)).gap();
  answer.table(analyze::serving_counts_sheet(*result));
  if (!result->alone.empty()) answer.gap().table(analyze::serving_edits_sheet(*result, plan.objectives));
  for (const analyze::EditAlone& edit : result->alone) {
    if (!edit.summary) answer.line(fmt::format("'{}' alone cannot be served: {}.", edit.text, edit.impossible));
  }
  if (!result->sweep.empty()) {
    answer.gap();
    tell_settings(answer, "sweep", result->sweep);
  }
  return answer;
}

}  // namespace orrery::ask
