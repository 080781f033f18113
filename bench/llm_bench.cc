// How long it takes to predict a training step: with its full schedule, and folded.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <limits>
#include <string>

#include "analyze/llm_forecast.h"
#include "analyze/llm_prices.h"
#include "job/llm_config.h"
#include "job/shipped_catalog.h"
#include "llm/step_source.h"
#include "simulate/native.h"

namespace {

using namespace orrery;

const llm::Catalog& catalog() {
  static const llm::Catalog read = [] {
    auto result = job::read_shipped_catalog();
    if (!result) std::abort();
    return std::move(*result);
  }();
  return read;
}

const job::LlmConfig& config() {
  static const job::LlmConfig read = [] {
    auto result = job::read_llm_config("data/llm/gpt_3_175b_64xa100.yml", catalog());
    if (!result) std::abort();
    return std::move(*result);
  }();
  return read;
}

/// From the plan to the schedule of one rank of each stage.
void full_schedule(benchmark::State& state) {
  const llm::StepPlan& plan = config().plan;
  for (auto _ : state) {
    const llm::StepTimes times = llm::step_times(catalog(), config().device, plan);
    auto source = llm::step_source(plan, times, llm::pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(), {}));
    simulate::EngineOptions options = simulate::engine_options(config().machine);
    options.detail = simulate::Detail::executed_ranks;
    Diagnostics diagnostics;
    auto run = simulate::run_priced(**source, config().machine, config().network, options, diagnostics);
    if (!run) std::abort();
    benchmark::DoNotOptimize(run->schedule.makespan_ps());
  }
}

void folded(benchmark::State& state) {
  const llm::StepPlan& plan = config().plan;
  auto prices = analyze::LlmPrices::on(config().machine);
  if (!prices) std::abort();
  for (auto _ : state) {
    const llm::StepTimes times = llm::step_times(catalog(), config().device, plan);
    const auto orders = llm::pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(), {});
    auto step = llm::folded_step(plan, times, orders, prices->for_plan(plan), std::numeric_limits<std::int64_t>::max());
    if (!step) std::abort();
    benchmark::DoNotOptimize(step->step_ps);
  }
}

BENCHMARK(full_schedule)->Unit(benchmark::kMillisecond);
BENCHMARK(folded)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
