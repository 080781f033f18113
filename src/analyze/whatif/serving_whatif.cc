#include "analyze/whatif/serving_whatif.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/forecast/serving_interval.h"
#include "base/parallel.h"
#include "base/percent.h"

namespace orrery::analyze {
namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

/// The run with these edits.
struct EditedRun {
  ServingSummary summary;
  bool has_missed = false;  ///< a replica would fail later than it ends
};

/// Edits, what their steps cost and what their cache has before them.
struct Case {
  std::vector<ServingEdit> edits;
  const llm::StepCost* cost = nullptr;
  std::uint32_t kv_blocks = 0;
  std::optional<std::size_t> draw = {};  ///< other arrivals
};

Result<EditedRun> run_edited(const llm::ServingPlan& plan, const llm::Requests& requests, const Case& one) {
  EditedServing serving{plan.engine, requests};
  serving.engine.limits.kv_blocks = one.kv_blocks;
  for (const ServingEdit& edit : one.edits) {
    if (Status good = apply(edit, serving); !good) return good.error();
  }
  if (Status good = llm::check_requests(serving.requests, llm::rules_of(serving.engine)); !good) return good.error();
  const auto run = llm::serve(serving.engine, serving.requests, EditedCost(*one.cost, serving.steps));
  if (!run) return run.error();
  TimePs end = 0;
  for (const llm::RequestRecord& record : run->records) end = std::max(end, record.last_ps);
  return EditedRun{summarise(*run, serving.requests, plan.objectives),
                   serving.engine.failure && serving.engine.failure->at_ps >= end};
}

/// Steps cost the same whatever the edits, but where they change how many replicas hold the experts.
Result<ShapeCost> shape_of(const llm::ServingPlan& plan, const ShapeCost& unedited, const PriceReplicas& price_replicas,
                           const std::vector<ServingEdit>& edits) {
  EditedServing serving{plan.engine, {}};
  for (const ServingEdit& edit : edits) {
    if (edit.what != ServingQuantity::replicas) continue;
    if (Status good = apply(edit, serving); !good) return good.error();
  }
  const double replicas = serving.engine.replicas;
  return plan.engine.experts_shared && replicas != plan.engine.replicas ? price_replicas(replicas)
                                                                        : Result<ShapeCost>(unedited);
}

/// The runs behind the interval of the change, each without and with the edits: at the ends of what steps cost, then
/// with other arrivals.
std::vector<Case> interval_cases(const llm::ServingPlan& plan, const ShapeCost& before, const ShapeCost& after,
                                 const std::vector<ServingEdit>& edits) {
  std::vector<Case> cases;
  if (!before.costs->has_ends() || !after.costs->has_ends()) return cases;
  for (const auto end : {&llm::CostRange::low, &llm::CostRange::high}) {
    cases.push_back({{}, (*before.costs).*end, before.kv_blocks});
    cases.push_back({edits, (*after.costs).*end, after.kv_blocks});
  }
  for (std::size_t draw = 0; plan.arrivals && draw < kArrivalSeeds; ++draw) {
    cases.push_back({{}, &before.costs->middle, before.kv_blocks, draw});
    cases.push_back({edits, &after.costs->middle, after.kv_blocks, draw});
  }
  return cases;
}

std::vector<ServingEdit> with_factor(std::vector<ServingEdit> edits, double factor) {
  for (ServingEdit& edit : edits) {
    if (edit.action == EditRule::Action::scale) edit.amount = factor;
  }
  return edits;
}

/// A figure of a run.
struct Figure {
  std::string name, title;
  double (*of)(const ServingSummary&);
  bool needs_objectives = false;
};

template <RequestMetric metric, double Spread::*part>
double part_of(const ServingSummary& summary) {
  return summary.of(metric).*part;
}

/// In the order of the table.
std::vector<Figure> figures() {
  using S = ServingSummary;
  using M = RequestMetric;
  constexpr auto mean = &Spread::mean_ms, p50 = &Spread::p50_ms, p99 = &Spread::p99_ms;
  return {{"ttft_mean_ms", "first token mean, ms", part_of<M::ttft, mean>},
          {"ttft_p50_ms", "first token P50, ms", part_of<M::ttft, p50>},
          {"ttft_p99_ms", "first token P99, ms", part_of<M::ttft, p99>},
          {"tpot_mean_ms", "per token mean, ms", part_of<M::tpot, mean>},
          {"tpot_p99_ms", "per token P99, ms", part_of<M::tpot, p99>},
          {"itl_p99_ms", "between tokens P99, ms", part_of<M::itl, p99>},
          {"latency_mean_ms", "latency mean, ms", part_of<M::latency, mean>},
          {"latency_p99_ms", "latency P99, ms", part_of<M::latency, p99>},
          {"queue_mean_ms", "queued mean, ms", part_of<M::queue, mean>},
          {"queue_p99_ms", "queued P99, ms", part_of<M::queue, p99>},
          {"tokens_per_s", "tokens/s", [](const S& s) { return s.per_s(static_cast<double>(s.tokens)); }},
          {"requests_per_s", "requests/s", [](const S& s) { return s.per_s(static_cast<double>(s.requests)); }},
          {"goodput_per_s", "good requests/s", [](const S& s) { return s.goodput_per_s(); }, true},
          {"makespan_s", "seconds in all", [](const S& s) { return s.makespan_s; }}};
}

/// Of nothing there is no change in percent.
Cell change_of(double before, double after) {
  if (before == after) return 0.0;
  return before == 0 ? Cell(nullptr) : Cell(change_percent(before, after));
}

/// In percent; none where there was nothing before.
std::optional<Reach> reach_of_change(const ServingWhatIf& result, const Figure& figure) {
  const auto change = [&](const BeforeAndAfter& runs) {
    return change_percent(figure.of(runs.before), figure.of(runs.after));
  };
  const auto changes = [&](const std::vector<BeforeAndAfter>& all) {
    std::vector<double> values;
    for (const BeforeAndAfter& runs : all) {
      if (figure.of(runs.before) > 0) values.push_back(change(runs));
    }
    std::sort(values.begin(), values.end());
    return values;
  };
  if (figure.of(result.before) <= 0) return std::nullopt;
  return reach_of(change(result), changes(result.by_steps), changes(result.by_arrivals));
}

Sheet comparison(std::string name, std::string title, Type type) {
  Sheet sheet(std::move(name));
  sheet.add({.name = "what"})
      .add({.name = "in_words", .title = std::move(title), .people_only = true})
      .add({.name = "before", .type = type, .title = "before"})
      .add({.name = "after", .type = type, .title = "after"})
      .add({.name = "change", .type = Type::real, .unit = Unit::pct, .title = "change", .is_change = true});
  return sheet;
}

}  // namespace

Result<ServingWhatIf> what_if(const llm::ServingPlan& plan, const llm::Requests& requests, const llm::CostRange& costs,
                              const PriceReplicas& price_replicas, const std::vector<ServingEdit>& edits,
                              const std::vector<double>& factors) {
  std::vector<std::vector<ServingEdit>> edited = {{}, edits};
  const std::size_t first_alone = edited.size(), alone = edits.size() > 1 ? edits.size() : 0;
  for (std::size_t i = 0; i < alone; ++i) edited.push_back({edits[i]});
  for (const double factor : factors) edited.push_back(with_factor(edits, factor));
  const ShapeCost unedited{.costs = costs, .kv_blocks = plan.engine.limits.kv_blocks};
  std::vector<Case> cases;
  std::vector<std::optional<Result<EditedRun>>> runs(edited.size());
  std::vector<ShapeCost> shapes;
  for (std::size_t i = 0; i < edited.size(); ++i) {
    const auto shape = shape_of(plan, unedited, price_replicas, edited[i]);
    if (!shape) runs[i] = shape.error();
    shapes.push_back(shape ? *shape : unedited);
    cases.push_back({edited[i], &shapes[i].costs->middle, shapes[i].kv_blocks});
  }
  const std::size_t first_of_interval = cases.size();
  for (Case& one : interval_cases(plan, unedited, shapes[1], edits)) cases.push_back(std::move(one));
  runs.resize(cases.size());
  parallel_for(cases.size(), [&](std::size_t i) {
    if (runs[i]) return;
    const Case& one = cases[i];
    runs[i] = one.draw ? run_edited(plan, draw_again(*plan.arrivals, *one.draw), one) : run_edited(plan, requests, one);
  });

  ServingWhatIf result;
  for (std::size_t i = first_of_interval; i + 1 < cases.size(); i += 2) {
    // A draw with a request that cannot be served says nothing of the others.
    if (!*runs[i] || !*runs[i + 1]) continue;
    (cases[i].draw ? result.by_arrivals : result.by_steps).push_back({(*runs[i])->summary, (*runs[i + 1])->summary});
  }
  for (std::size_t i = 0; i < first_of_interval; ++i) {
    Result<EditedRun>& run = *runs[i];
    const bool is_alone = i >= first_alone && i < first_alone + alone;
    // An edit that makes no sense by itself makes none among others.
    if (!run && !(is_alone && run.error().kind == Error::Kind::unusable)) return run.error();
    if (i == 0) result.before = run->summary;
    else if (i == 1) result.after = run->summary;
    else if (!is_alone)
      result.sweep.push_back({.values = {{"factor", factors[i - first_alone - alone]}}, .summary = run->summary});
    else if (run) result.alone.push_back({edits[i - first_alone].text, run->summary});
    else result.alone.push_back({edits[i - first_alone].text, std::nullopt, run.error().message});
  }
  if ((*runs[1])->has_missed) {
    const auto fails = std::find_if(edits.begin(), edits.end(),
                                    [](const ServingEdit& edit) { return edit.what == ServingQuantity::failure; });
    if (fails != edits.end()) result.missed = fails->text;
  }
  return result;
}

Sheet serving_change_sheet(const ServingWhatIf& result, const llm::Objectives& objectives) {
  Sheet sheet = comparison("change", "times and rates", Type::real);
  const bool has_interval = !result.by_steps.empty();
  if (has_interval)
    sheet.add({.name = "change_low", .type = Type::real, .unit = Unit::pct, .title = "80 % from"})
        .add({.name = "change_high", .type = Type::real, .unit = Unit::pct, .title = "to"});
  for (const Figure& figure : figures()) {
    if (figure.needs_objectives && !objectives.any()) continue;
    const double before = figure.of(result.before), after = figure.of(result.after);
    std::vector<Cell> cells = {figure.name, figure.title, before, after, change_of(before, after)};
    if (has_interval) {
      const std::optional<Reach> reach = reach_of_change(result, figure);
      cells.push_back(reach ? Cell(reach->low) : Cell(nullptr));
      cells.push_back(reach ? Cell(reach->high) : Cell(nullptr));
    }
    sheet.add_row(cells);
  }
  return sheet;
}

Sheet serving_counts_sheet(const ServingWhatIf& result) {
  Sheet sheet = comparison("counts", "counts", Type::integer);
  const auto add = [&](const char* name, const char* title, std::uint64_t ServingSummary::*count) {
    const std::uint64_t before = result.before.*count, after = result.after.*count;
    sheet.add_row({name, title, before, after, change_of(static_cast<double>(before), static_cast<double>(after))});
  };
  add("steps", "steps", &ServingSummary::steps);
  add("preemptions", "preemptions", &ServingSummary::preemptions);
  add("cached_tokens", "tokens found in the cache", &ServingSummary::cached_tokens);
  return sheet;
}

Sheet serving_edits_sheet(const ServingWhatIf& result, const llm::Objectives& objectives) {
  Sheet sheet("edits");
  sheet.add({.name = "edit", .title = "each alone"});
  std::vector<Figure> shown;
  for (Figure& figure : figures()) {
    const bool matters = figure.name == "ttft_p99_ms" || figure.name == "tpot_p99_ms" ||
                         figure.name == "latency_p99_ms" ||
                         figure.name == (objectives.any() ? "goodput_per_s" : "tokens_per_s");
    if (!matters) continue;
    sheet.add({.name = figure.name, .type = Type::real, .title = figure.title});
    sheet.add(
        {.name = figure.name + "_change", .type = Type::real, .unit = Unit::pct, .title = "change", .is_change = true});
    shown.push_back(std::move(figure));
  }
  for (const EditAlone& edit : result.alone) {
    std::vector<Cell> cells = {edit.text};
    for (const Figure& figure : shown) {
      cells.push_back(edit.summary ? Cell(figure.of(*edit.summary)) : Cell(nullptr));
      cells.push_back(edit.summary ? change_of(figure.of(result.before), figure.of(*edit.summary)) : Cell(nullptr));
    }
    sheet.add_row(cells);
  }
  return sheet;
}

}  // namespace orrery::analyze
