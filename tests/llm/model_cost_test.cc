// Steps of a serving engine by the kernels of a model.
#include "llm/engine/model_cost.h"

#include <doctest/doctest.h>

#include "llm/catalog.h"
#include "llm/shipped.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

InferencePlan plan_of(std::string_view model, double tensor, double pipeline = 1, double replicas = 1) {
  InferencePlan plan;
  plan.shape.model = *architecture_called(shipped().architectures, model);
  plan.shape.job = {.devices = tensor * pipeline * replicas, .tensor = tensor, .pipeline = pipeline, .data = replicas};
  plan.batch = replicas;
  return plan;
}

std::shared_ptr<ModelPrices> prices_of(const InferencePlan& plan, const char* device = "H100") {
  const auto prices = model_prices({shipped(), plan, shipped_device(device)});
  REQUIRE_MESSAGE(prices.ok(), (prices ? "" : prices.error().to_string()));
  return *prices;
}

const Batch kPromptAndDecodes = {
    .tokens = 1032, .sampled = 9, .decodes = 8, .context_sum = 8 * 500, .longest_context = 600, .pieces = {{1024, 0}}};

}  // namespace

TEST_CASE("a step costs more with more in it, and lies within its interval") {
  const auto prices = prices_of(plan_of("Llama 3.1 8B", 1));
  const StepPrice middle = prices->price(kPromptAndDecodes, IntervalPoint::middle);
  CHECK(prices->price(kPromptAndDecodes, IntervalPoint::low).step_ps < middle.step_ps);
  CHECK(prices->price(kPromptAndDecodes, IntervalPoint::high).step_ps > middle.step_ps);
  CHECK(middle.fixed_ps < middle.step_ps);
  Batch more = kPromptAndDecodes;
  more.longest_context = 6000;
  CHECK(prices->price(more, IntervalPoint::middle).step_ps > middle.step_ps);
  more = kPromptAndDecodes;
  more.pieces[0].before = 8192;
  CHECK(prices->price(more, IntervalPoint::middle).step_ps > middle.step_ps);
}

TEST_CASE("the stages of a pipeline are the step, and the last is the longest") {
  const auto prices = prices_of(plan_of("Llama 3.1 8B", 1, 4));
  StagedStep step;
  prices->price_stages(kPromptAndDecodes, IntervalPoint::middle, step);
  REQUIRE(step.stages_ps.size() == 4);
  TimePs sum = 0;
  for (const TimePs stage : step.stages_ps) sum += stage;
  CHECK(std::abs(sum - prices->price(kPromptAndDecodes, IntervalPoint::middle).step_ps) <= 4);
  CHECK(step.stages_ps[0] == step.stages_ps[1]);
  CHECK(step.stages_ps[3] > step.stages_ps[2]);
  CHECK(step.send_ps > 0);
}

TEST_CASE("experts that replicas share are priced by the tokens of all") {
  InferencePlan plan = plan_of("Mixtral 8x7B", 1, 1, 8);
  plan.shape.job.expert = 8;
  plan.shape.domain_devices = 8;
  REQUIRE_FALSE(find_inference_violation(plan));
  const auto shared = prices_of(plan), alone = prices_of(plan_of("Mixtral 8x7B", 1));
  const TimePs few = shared->shared_experts_ps(8, 1, IntervalPoint::middle),
               many = shared->shared_experts_ps(8192, 1024, IntervalPoint::middle);
  CHECK(few > 0);
  CHECK(many > few);
  CHECK(shared->shared_experts_ps(8192, 4096, IntervalPoint::middle) > many);
  CHECK(shared->shared_experts_ps(8192, 1024, IntervalPoint::high) > many);
  CHECK(alone->shared_experts_ps(8192, 1024, IntervalPoint::middle) == 0);
  // One expert's weights instead of eight, for as many tokens.
  const Batch decodes = {.tokens = 64, .sampled = 64, .decodes = 64, .context_sum = 64 * 500, .longest_context = 500};
  CHECK(shared->price(decodes, IntervalPoint::middle).step_ps +
            shared->shared_experts_ps(512, 64, IntervalPoint::middle) <
        alone->price(decodes, IntervalPoint::middle).step_ps);
  // Half of them on another node.
  plan.shape.domain_devices = 4;
  const auto across = model_prices({shipped(), plan, shipped_device("H100"), {}, {50e9, 5}});
  REQUIRE(across.ok());
  CHECK((*across)->shared_experts_ps(8192, 1024, IntervalPoint::middle) > many);
}
