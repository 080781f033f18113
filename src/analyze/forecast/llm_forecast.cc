#include "analyze/forecast/llm_forecast.h"

#include <algorithm>

#include "llm/backtest/row_models.h"
#include "llm/steps/step_source.h"
#include "workload/source.h"
#include "llm/steps/layer_model.h"

namespace orrery::analyze {
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
                                      const simulate::Pricing& network, const KeptOfRun& kept,
                                      Diagnostics& diagnostics) {
  auto source = workload::WholeWorkload::of(workload);
  if (!source) return source.error();
  return run_planned(*source, machine, network, kept, diagnostics);
}

Result<simulate::Outcome> run_planned(workload::WorkloadSource& source, const machine::Machine& machine,
                                      const simulate::Pricing& network, const KeptOfRun& kept,
                                      Diagnostics& diagnostics) {
  simulate::EngineOptions options = simulate::engine_options(machine);
  options.compute_slots = 1;
  options.launch_latency_ps = 0;  // what software and launches cost is part of the passes' times
  options.detail = kept.detail;
  options.keep_link_series = kept.link_series;
  return simulate::run(source, machine, network, options, diagnostics);
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
  auto run_outcome = run_planned(*source, input.machine, input.network, input.kept, diagnostics);
  if (!run_outcome) return run_outcome.error();
  forecast.run = std::move(*run_outcome);
  forecast.step_ps = forecast.run.schedule.makespan_ps();
  const double seconds = static_cast<double>(forecast.step_ps) * 1e-12;
  // No published step of an LSTM was held against a schedule.
  const llm::KindAccuracy* accuracy = plan.lstm ? nullptr : input.catalog.accuracy.find(llm::schedule_kind(plan));
  if (accuracy != nullptr) {
    forecast.low_ps = static_cast<TimePs>(static_cast<double>(forecast.step_ps) * accuracy->low_ratio);
    forecast.high_ps = static_cast<TimePs>(static_cast<double>(forecast.step_ps) * accuracy->high_ratio);
  }
  forecast.tokens_per_s = plan.job.global_batch * plan.job.sequence / seconds;
  forecast.flop = llm::model_flop(plan);
  forecast.devices = plan.ranks();
  const double peak = input.device.peak_flops(plan.precision);
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
