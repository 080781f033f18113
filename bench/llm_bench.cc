// How long it takes to predict a training step: with its full schedule, and folded.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "analyze/forecast/llm_forecast.h"
#include "base/io/file_content.h"
#include "job/shipped/llm_config.h"

namespace {

using namespace orrery;

const llm::Catalog& catalog() {
  static const llm::Catalog read = [] {
    auto result = llm::read_catalog("data");  // run from the root of the repository, as `make bench` does
    if (!result) std::abort();
    return std::move(*result);
  }();
  return read;
}

const job::LlmConfig& config() {
  static const job::LlmConfig read = [] {
    auto text = read_whole_file("data/llm/gpt_3_175b_64xa100.yml", 1 << 20);
    if (!text) std::abort();
    // Shipped machines are found beside the program, which a benchmark is not.
    text->replace(text->find("machine: selene"), 15, "machine: data/machines/selene.yaml");
    auto result = job::parse_llm_config(*text, "gpt_3_175b_64xa100.yml", catalog());
    if (!result) std::abort();
    return std::move(*result);
  }();
  return read;
}

/// All that `orrery llm` does between reading and writing: from the plan to the schedule of one rank of each stage,
/// what it spends its time on, its memory and its critical path.
void full_schedule(benchmark::State& state) {
  for (auto _ : state) {
    Diagnostics diagnostics;
    auto forecast = analyze::forecast_step(
        {catalog(), config().plan, config().device, config().machine, config().network, config().memory}, diagnostics);
    if (!forecast) std::abort();
    benchmark::DoNotOptimize(forecast->step_ps);
  }
}

void folded(benchmark::State& state) {
  const llm::StepPlan& plan = config().plan;
  auto prices = analyze::LlmPrices::on(config().machine);
  if (!prices) std::abort();
  for (auto _ : state) {
    const llm::StepTimes times = llm::step_times(catalog(), config().device, plan);
    const auto orders = llm::pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(), {});
    auto step = llm::folded_step(plan, times, orders, prices->for_plan(plan));
    if (!step) std::abort();
    benchmark::DoNotOptimize(step->step_ps);
  }
}

BENCHMARK(full_schedule)->Unit(benchmark::kMillisecond);
BENCHMARK(folded)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
