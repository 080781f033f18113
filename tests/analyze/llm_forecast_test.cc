#include "analyze/forecast/llm_forecast.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "llm/shipped.h"
#include "llm/steps/layer_model.h"
#include "llm/steps/step_source.h"
#include "machine/derived_machine.h"

using namespace orrery;
using namespace orrery::analyze;

namespace {

llm::StepPlan plan_of(double tensor, double pipeline, double data, double chunks, llm::PipelineOrder order) {
  llm::StepPlan plan;
  plan.model = {.name = "small",
                .layers = 16,
                .hidden = 2048,
                .heads = 16,
                .kv_heads = 16,
                .head_size = 128,
                .ffn = 8192,
                .vocabulary = 32000,
                .plain_mlp = true};
  plan.job = {.sequence = 2048,
              .global_batch = 8 * pipeline * data,
              .micro_batch = 1,
              .devices = tensor * pipeline * data,
              .tensor = tensor,
              .pipeline = pipeline,
              .data = data,
              .interleave = chunks,
              .sequence_parallel = tensor > 1};
  plan.order = order;
  return plan;
}

LlmForecast run(const llm::StepPlan& plan, const machine::Machine& machine, simulate::PricingMode mode) {
  const simulate::PricingOptions network{.mode = mode};
  Diagnostics diagnostics;
  auto forecast = forecast_step({llm::shipped(), plan, llm::shipped_device("h100"), machine, network, {}}, diagnostics);
  REQUIRE(forecast);
  return std::move(*forecast);
}

TimePs folded(const llm::StepPlan& plan, const machine::Machine& machine) {
  auto prices = LlmPrices::on(machine);
  REQUIRE(prices);
  const llm::StepTimes times = llm::step_times(llm::shipped(), llm::shipped_device("h100"), plan);
  const auto orders = llm::pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(),
                                           llm::compute_durations(plan, times));
  const auto step = llm::folded_step(plan, times, orders, prices->for_plan(plan));
  REQUIRE(step);
  return step->step_ps;
}

machine::Machine machine_for(const llm::StepPlan& plan) {
  return machine::cluster_machine(llm::shipped_device("h100"), plan.ranks(), 8, 50);
}

}  // namespace

TEST_CASE("what a rank does with its time adds up to the step") {
  const llm::StepPlan plan = plan_of(2, 4, 2, 1, llm::PipelineOrder::one_f_one_b);
  const LlmForecast forecast = run(plan, machine_for(plan), simulate::PricingMode::in_loop);
  REQUIRE(forecast.stages.size() == 4);
  for (const StageTimes& stage : forecast.stages)
    CHECK(stage.compute_ps + stage.exposed_sum() + stage.bubble_ps == forecast.step_ps);
  TimePs on_path = 0;
  for (const simulate::PathPiece& piece : forecast.path) on_path += piece.to_ps - piece.from_ps;
  CHECK(on_path == forecast.step_ps);
  CHECK(forecast.fits());
}

TEST_CASE("a bubble is what the pipeline's depth makes it") {
  // Equal stages without embedding and head to speak of: (p - 1) / m of the time, half of it with two chunks.
  llm::StepPlan plan = plan_of(1, 4, 1, 1, llm::PipelineOrder::one_f_one_b);
  plan.model.vocabulary = 16;
  const auto bubble = [&] {
    const LlmForecast forecast = run(plan, machine_for(plan), simulate::PricingMode::isolated);
    double sum = 0;
    for (const StageTimes& stage : forecast.stages)
      sum += static_cast<double>(stage.bubble_ps) / static_cast<double>(stage.compute_ps);
    return sum / 4;
  };
  const double plain = bubble();
  CHECK(plain / (3.0 / 32) == doctest::Approx(1).epsilon(0.05));
  plan.job.interleave = 2;
  CHECK(bubble() / plain == doctest::Approx(0.5).epsilon(0.05));
  plan.job.interleave = 1;
  plan.order = llm::PipelineOrder::zero_bubble;
  CHECK(bubble() < 0.6 * plain);
}

TEST_CASE("a folded step is the engine's with prices of their own") {
  CHECK(rc::check("folded equals isolated", [] {
    const double tensor = *rc::gen::element(1, 2), pipeline = *rc::gen::element(1, 2, 4),
                 data = *rc::gen::element(1, 2);
    const auto order =
        *rc::gen::element(llm::PipelineOrder::gpipe, llm::PipelineOrder::one_f_one_b, llm::PipelineOrder::zero_bubble);
    const double chunks = order == llm::PipelineOrder::one_f_one_b && pipeline > 1 ? *rc::gen::element(1, 2) : 1;
    llm::StepPlan plan = plan_of(tensor, pipeline, data, chunks, order);
    plan.job.recomputation = *rc::gen::element(llm::Recomputation::none, llm::Recomputation::full);
    plan.job.zero_stage = *rc::gen::element(0, 1);
    plan.overlap.gradients = *rc::gen::arbitrary<bool>();
    plan.overlap.messages = *rc::gen::arbitrary<bool>();
    RC_PRE(!llm::find_plan_violation(plan).has_value());
    const machine::Machine machine = machine_for(plan);
    const auto whole = static_cast<double>(run(plan, machine, simulate::PricingMode::isolated).step_ps);
    RC_ASSERT(std::abs(static_cast<double>(folded(plan, machine)) / whole - 1) < 0.005);
  }));
}
