#include "analyze/forecast/llm_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "llm/backtest/row_models.h"
#include "llm/steps/layer_model.h"
#include "llm/steps/measured_network.h"
#include "llm/steps/step_source.h"
#include "machine/derived_machine.h"
#include "machine/topology/network.h"
#include "simulate/collective/algorithm.h"
#include "simulate/models/link_models.h"
#include "workload/source.h"

// A plan becomes times of passes, an order of them on every stage, and from both a workload, which the simulator runs
// on the machine. Where several plans are asked about, they are first compared by a folded step (one rank per stage and
// prices of single operations), and only the best is run.

namespace orrery::analyze {
namespace {

/// Larger steps are folded: the loop has all ranks, of which replicas do the same. On published plans of up to 256
/// devices both differ by less than 1 % mostly and 2.5 % at most.
constexpr std::uint32_t kMostRanksInLoop = 64;

std::optional<double> seconds_of(std::optional<TimePs> time) {
  if (!time) return std::nullopt;
  return static_cast<double>(*time) * 1e-12;
}

std::optional<TimePs> folded_ps(const llm::Catalog& catalog, const machine::Device& device, const llm::StepPlan& plan,
                                const llm::CommPrice& price) {
  const llm::StepTimes times = llm::step_times(catalog, device, plan);
  const auto orders =
      llm::pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(), {}, plan.overlap.experts);
  const auto folded =
      llm::folded_step(plan, times, orders, price, {.exchange_slowdown = llm::exchange_slowdown(plan, device)});
  if (!folded) return std::nullopt;
  return folded->step_ps;
}

std::optional<TimePs> folded_ps(const llm::Catalog& catalog, const machine::Device& device,
                                const machine::Machine& machine, const llm::StepPlan& plan) {
  auto prices = LlmPrices::on(machine);
  if (!prices) return std::nullopt;
  return folded_ps(catalog, device, plan, prices->for_plan(plan));
}

/// On a network that jobs timed, communication is priced by what they found: alone, since what they found was shared.
std::optional<double> measured_step_seconds(const llm::Catalog& catalog, const machine::Device& device,
                                            const llm::RowPlans& row) {
  std::optional<TimePs> best;
  for (const llm::StepPlan& plan : row.plans) {
    const auto step =
        folded_ps(catalog, device, plan, llm::measured_prices(plan, device, *row.cluster.rings, row.cluster.bus));
    if (step && (!best || *step < *best)) best = step;
  }
  return seconds_of(best);
}

}  // namespace

llm::StepModel schedule_model(const llm::Catalog& catalog, const simulate::PricingOptions& network) {
  return [&](const machine::Device& device, const llm::RowPlans& row,
             Diagnostics& diagnostics) -> std::optional<double> {
    if (row.cluster.rings != nullptr) return measured_step_seconds(catalog, device, row);
    const machine::Machine machine = machine::cluster_machine(
        device, row.plans[0].ranks(), static_cast<std::int64_t>(row.cluster.node_devices), row.cluster.port_gb_per_s);
    const bool in_loop = row.plans[0].ranks() <= kMostRanksInLoop;
    const llm::StepPlan* best = &row.plans[0];
    std::optional<TimePs> shortest;
    for (const llm::StepPlan& plan : row.plans) {
      if (in_loop && row.plans.size() == 1) break;  // nothing to compare
      const auto folded = folded_ps(catalog, device, machine, plan);
      if (folded && (!shortest || *folded < *shortest)) shortest = folded, best = &plan;
    }
    if (!in_loop) return seconds_of(shortest);
    const auto run = forecast_step({catalog, *best, device, machine, network, {}}, diagnostics);
    return run ? seconds_of(run->step_ps) : std::nullopt;
  };
}

Result<LlmPrices> LlmPrices::on(const machine::Machine& machine) {
  auto network = machine::Network::build(machine);
  if (!network) return network.error();
  auto lowering =
      std::make_shared<simulate::Lowering>(std::move(*network), simulate::comm_options(machine.communication));
  return LlmPrices(std::make_unique<simulate::IsolatedModel>(std::move(lowering)));
}

llm::CommPrice LlmPrices::for_plan(const llm::StepPlan& plan) {
  return [this, &plan](const llm::CommQuestion& question) { return price(plan, question); };
}

Result<TimePs> LlmPrices::price(const llm::StepPlan& plan, const llm::CommQuestion& question) {
  const std::vector<workload::Axis> layout = layout_of(plan, question.axis);
  // Equal questions on equal layouts have one price: steps ask for the same thousands of times.
  std::vector<std::int64_t> key = {question.is_message ? -1 : static_cast<std::int64_t>(question.collective),
                                   question.bytes};
  for (const workload::Axis& axis : layout) key.insert(key.end(), {axis.size, axis.stride});
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  const workload::Role role{.name = 1, .axes = layout};
  std::vector<std::uint32_t> ranks = role.ranks_with(0);
  // Two neighbours on the axis exchange a message.
  if (question.is_message) ranks.resize(2);
  const simulate::CommOp op{
      .kind = question.is_message ? simulate::CommOp::Kind::message : simulate::CommOp::Kind::collective,
      .collective = question.collective,
      .bytes = question.is_message ? question.bytes
                                   : workload::whole_bytes(question.collective, question.bytes, ranks.size()),
      .ranks = ranks};
  auto estimated = model_->estimate(op);
  if (!estimated) return estimated.error();
  known_.emplace(std::move(key), estimated->total_ps);
  return estimated->total_ps;
}

namespace {

using workload::ActivityKind;

void take_times(const llm::StepPlan& plan, const std::vector<std::vector<std::uint64_t>>& pass_ends,
                LlmForecast& forecast) {
  StageReader reader(forecast.workload, forecast.run.schedule);
  for (std::uint32_t stage = 0; stage < plan.stages(); ++stage) {
    forecast.stages.push_back(reader.times(stage, 0, forecast.step_ps));
    std::vector<TimePs>& ends = forecast.pass_end_ps.emplace_back();
    std::uint64_t begin = 0;
    for (const std::uint64_t end : pass_ends[stage]) {
      TimePs last = begin == end && !ends.empty() ? ends.back() : 0;  // paired with the pass before it
      for (std::uint64_t i = begin; i < end; ++i) {
        if (forecast.workload.programs[stage].kinds[i] == ActivityKind::compute)
          last = std::max(last, reader.end(stage, i));
      }
      ends.push_back(last);
      begin = end;
    }
  }
}

}  // namespace

Result<simulate::Outcome> run_planned(const workload::Workload& workload, const machine::Machine& machine,
                                      const simulate::Pricing& network, const KeptOfRun& kept, Diagnostics& diagnostics,
                                      double slowdown) {
  auto source = workload::WholeWorkload::of(workload);
  if (!source) return source.error();
  return run_planned(*source, machine, network, kept, diagnostics, slowdown);
}

Result<simulate::Outcome> run_planned(workload::WorkloadSource& source, const machine::Machine& machine,
                                      const simulate::Pricing& network, const KeptOfRun& kept, Diagnostics& diagnostics,
                                      double slowdown) {
  simulate::EngineOptions options = simulate::engine_options(machine);
  // A stage computes one pass at a time.
  options.compute_slots = 1;
  options.launch_latency_ps = 0;  // what software and launches cost is part of the passes' times
  options.slowdown_beside_exchanges = slowdown;
  options.detail = kept.detail;
  options.keep_link_series = kept.link_series;
  return simulate::run(source, machine, network, options, diagnostics);
}

std::optional<PublishedInterval> published_interval(const llm::Catalog& catalog, std::string_view kind, TimePs time) {
  const llm::KindAccuracy* accuracy = catalog.accuracy.find(kind);
  if (accuracy == nullptr) return std::nullopt;
  const auto scaled = [&](double ratio) {
    return static_cast<TimePs>(std::llround(static_cast<double>(time) * ratio));
  };
  return PublishedInterval{scaled(accuracy->low_ratio), scaled(accuracy->high_ratio),
                           fmt::format("{}, {:.0f} published", accuracy->name, accuracy->rows)};
}

std::optional<PublishedInterval> published_interval(const llm::Catalog& catalog, const llm::StepPlan& plan,
                                                    TimePs step) {
  // No published step of an LSTM was held against a schedule.
  if (plan.lstm) return std::nullopt;
  return published_interval(catalog, llm::schedule_kind(plan), step);
}

Result<LlmForecast> forecast_step(const LlmForecastInput& input, Diagnostics& diagnostics) {
  const llm::StepPlan& plan = input.plan;
  const llm::StepTimes times = llm::step_times(input.catalog, input.device, plan);
  const auto orders = llm::pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(),
                                           llm::compute_durations(plan, times), plan.overlap.experts);
  auto step = llm::step_workload(plan, times, orders);
  if (!step) return step.error();
  LlmForecast forecast;
  forecast.workload = std::move(step->workload);
  auto source = workload::WholeWorkload::of(forecast.workload);
  if (!source) return source.error();
  const double slowdown = llm::exchange_slowdown(plan, input.device);
  auto run_outcome = run_planned(*source, input.machine, input.network, input.kept, diagnostics, slowdown);
  if (!run_outcome) return run_outcome.error();
  forecast.run = std::move(*run_outcome);
  forecast.step_ps = forecast.run.schedule.makespan_ps();
  const double seconds = static_cast<double>(forecast.step_ps) * 1e-12;
  forecast.interval = published_interval(input.catalog, plan, forecast.step_ps);
  forecast.tokens_per_s = plan.job.global_batch * plan.job.sequence / seconds;
  forecast.flop = llm::model_flop(plan);
  forecast.devices = plan.ranks();
  const double peak = input.device.peak_flops(plan.precision);
  // Model FLOP utilization: of what all devices could have done in that time.
  forecast.mfu_pct = peak > 0 ? 100 * forecast.flop / (seconds * peak * forecast.devices) : 0;
  take_times(plan, step->pass_ends, forecast);
  forecast.memory_bytes = input.device.memory_bytes();
  for (std::uint32_t stage = 0; stage < plan.stages(); ++stage) {
    forecast.memory.push_back(llm::stage_memory(plan, input.memory, stage, orders[stage]));
    if (forecast.memory[stage].peak.sum() > forecast.memory[forecast.fullest_stage].peak.sum())
      forecast.fullest_stage = stage;
  }
  simulate::Causes causes(source->matching(), forecast.run.schedule);
  forecast.path = simulate::critical_path(causes, forecast.workload, forecast.run.schedule);
  return forecast;
}

}  // namespace orrery::analyze
