#include "llm/steps/step_plan.h"
#include "llm/steps/layer_model.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "llm/shipped.h"
#include "llm/steps/layer_schedule.h"
#include "llm/steps/step_memory.h"
#include "llm/steps/step_source.h"
#include "llm/steps/sweep_space.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

StepPlan small_plan() {
  StepPlan plan;
  plan.model = {.name = "small",
                .layers = 8,
                .hidden = 1024,
                .heads = 16,
                .kv_heads = 16,
                .head_size = 64,
                .ffn = 4096,
                .vocabulary = 32000,
                .plain_mlp = true};
  plan.job = {
      .sequence = 1024, .global_batch = 16, .micro_batch = 1, .devices = 16, .tensor = 2, .pipeline = 4, .data = 2};
  return plan;
}

std::string field_of(const StepPlan& plan) {
  const auto found = find_plan_violation(plan);
  return found ? found->field : "";
}

}  // namespace

TEST_CASE("a plan that does not add up names the field") {
  CHECK(field_of(small_plan()).empty());
  StepPlan plan = small_plan();
  plan.job.devices = 24;
  CHECK(field_of(plan) == "parallelism");
  plan = small_plan();
  plan.job.global_batch = 15;
  CHECK(field_of(plan) == "training.global_batch");
  plan = small_plan();
  plan.job.tensor = 3, plan.job.devices = 24;
  CHECK(field_of(plan) == "parallelism.tensor");
  plan = small_plan();
  plan.job.pipeline = 16, plan.job.devices = 64;
  CHECK(field_of(plan) == "parallelism.pipeline");
  plan = small_plan();
  plan.job.expert = 2;
  CHECK(field_of(plan) == "parallelism.expert");
  plan = small_plan();
  plan.overlap.experts = true;
  CHECK(field_of(plan) == "overlap.experts");  // no experts to hide the exchange of
  plan = small_plan();
  plan.software = Software::pytorch_fsdp;
  CHECK(field_of(plan) == "software");
  plan = small_plan();
  plan.job.interleave = 2, plan.job.global_batch = 10, plan.job.data = 1, plan.job.devices = 8;
  CHECK(field_of(plan) == "parallelism.chunks");
}

TEST_CASE("layers are spread over parts, and no part has more than one more") {
  CHECK(rc::check([] {
    StepPlan plan = small_plan();
    plan.job.pipeline = *rc::gen::inRange(1, 9);
    plan.job.interleave = *rc::gen::inRange(1, 4);
    plan.model.layers = plan.parts() + *rc::gen::inRange(0, 40);
    RC_ASSERT(plan.first_layer(0) == 0u);
    RC_ASSERT(plan.first_layer(plan.parts()) == plan.layers());
    std::uint32_t fewest = plan.layers(), most = 0;
    for (std::uint32_t part = 0; part < plan.parts(); ++part) {
      const std::uint32_t layers = plan.first_layer(part + 1) - plan.first_layer(part);
      fewest = std::min(fewest, layers), most = std::max(most, layers);
    }
    RC_ASSERT(fewest >= 1u);
    RC_ASSERT(most <= fewest + 1);
    // The last part, which has the head, has no more than any other.
    RC_ASSERT(plan.layers() - plan.first_layer(plan.parts() - 1) == fewest);
  }));
}

TEST_CASE("parameters of all parts are those of the model") {
  StepPlan plan = small_plan();
  plan.job.tensor = 1;
  double sum = 0;
  for (std::uint32_t part = 0; part < plan.parts(); ++part) sum += part_parameters(plan, part).replicated;
  const double layer = 4 * 1024.0 * 1024 + 2 * 1024.0 * 4096 + 2 * 1024;
  CHECK(sum == doctest::Approx(8 * layer + 2 * 32000.0 * 1024));
  CHECK(model_flop(plan) ==
        doctest::Approx(16 * 1024.0 * (6 * (8 * (layer - 2 * 1024) + 32000.0 * 1024) + 12 * 8 * 1024.0 * 1024)));
}

TEST_CASE("the peak from the number in flight is the peak of the order") {
  StepPlan plan = small_plan();
  plan.model.layers = 16;
  for (const PipelineOrder order : {PipelineOrder::gpipe, PipelineOrder::one_f_one_b}) {
    for (const double chunks : {1.0, 2.0}) {
      if (order == PipelineOrder::gpipe && chunks > 1) continue;
      plan.order = order;
      plan.job.interleave = chunks;
      const auto orders = pipeline_orders(order, plan.stages(), plan.chunks(), plan.micro_batches(), {});
      for (std::uint32_t stage = 0; stage < plan.stages(); ++stage) {
        CAPTURE(stage);
        const MemoryParts counted = peak_memory(plan, {}, stage),
                          followed = stage_memory(plan, {}, stage, orders[stage]).peak;
        CHECK(counted.activations == doctest::Approx(followed.activations));
        CHECK(counted.weights == followed.weights);
      }
    }
  }
}

TEST_CASE("sharding divides what it says, and recomputing keeps less") {
  StepPlan plan = small_plan();
  const MemoryParts whole = peak_memory(plan, {}, 0);
  plan.job.zero_stage = 1;
  CHECK(peak_memory(plan, {}, 0).optimizer == doctest::Approx(whole.optimizer / 2));
  CHECK(peak_memory(plan, {}, 0).gradients == whole.gradients);
  plan.job.zero_stage = 3;
  CHECK(peak_memory(plan, {}, 0).weights == doctest::Approx(whole.weights / 2));
  plan = small_plan();
  plan.job.recomputation = Recomputation::full;
  CHECK(peak_memory(plan, {}, 0).activations < 0.11 * whole.activations);
}

TEST_CASE("gradients that are scattered are whole for the layer at hand") {
  StepPlan plan = small_plan();
  plan.job.zero_stage = 1;
  const MemoryParts one = peak_memory(plan, {}, 0);
  plan.job.zero_stage = 2;
  const MemoryParts two = peak_memory(plan, {}, 0);
  CHECK(two.gradients == doctest::Approx(one.gradients / 2));
  const RankParameters layer = layer_model(plan, 0).parameters(plan, 0);
  CHECK(two.workspace == doctest::Approx(one.workspace + 2 * 4 * layer.replicated));
}

TEST_CASE("products in 8 bits keep their inputs in 8 bits, and selective recomputation keeps fewer") {
  StepPlan plan = small_plan();
  plan.job.tensor = 1, plan.job.devices = 8;
  const double t = 1024, h = 1024, f = 4096;
  CHECK(saved_bytes(plan, 0) == doctest::Approx(2 * t * (4 * h + 4 * h + 2 * f)));
  plan.precision = machine::DataType::fp8;
  // Outputs of norms and of the activation in a byte; attention's output in a byte besides.
  CHECK(saved_bytes(plan, 0) == doctest::Approx(t * (6 * h + 9 * h + 3 * f)));
  plan.job.recomputation = Recomputation::selective;
  CHECK(saved_bytes(plan, 0) == doctest::Approx(t * (4 * h + 9 * h + 2 * f)));
}

TEST_CASE("adapters have no gradients, no optimizer and no gradient products to speak of") {
  StepPlan plan = small_plan();
  plan.job.zero_stage = 1;
  const StepTimes whole = step_times(shipped(), shipped_device("h100"), plan);
  plan.adapters_only = true;
  const StepTimes adapters = step_times(shipped(), shipped_device("h100"), plan);
  CHECK(adapters.layer.mlp.weight_gradient == 0);
  CHECK(adapters.layer.mlp.input_gradient == whole.layer.mlp.input_gradient);
  CHECK(peak_memory(plan, {}, 0).optimizer == 0);
  const LayerSchedules schedules(plan, adapters);
  CHECK(schedules.begin_of_step(0).empty());
  for (const LayerItem& item : schedules.make({.pass = Pass::backward, .part = 0, .is_last = true}))
    CHECK(item.name.what != "gradients");
}

TEST_CASE("a step is a program per stage, and what it says to others adds up") {
  StepPlan plan = small_plan();
  plan.job.sequence_parallel = true;
  const StepTimes times = step_times(shipped(), shipped_device("h100"), plan);
  auto source = step_source(plan, times, pipeline_orders(plan.order, 4, 1, 8, {}));
  REQUIRE(source);
  CHECK((*source)->program_count() == 4);
  CHECK((*source)->job().rank_count() == 16);
  auto workload = workload::collect(**source);
  REQUIRE(workload);
  REQUIRE(workload::Matching::of(*workload));
  const auto whole = step_workload(plan, times, pipeline_orders(plan.order, 4, 1, 8, {}));
  REQUIRE(whole);
  for (std::uint32_t stage = 0; stage < 4; ++stage) {
    CHECK(whole->pass_ends[stage] == (*source)->pass_ends(stage));
    const workload::Program &a = whole->workload.programs[stage], &b = workload->programs[stage];
    REQUIRE(a.size() == b.size());
    for (std::uint32_t i = 0; i < a.size(); ++i) {
      CHECK(a.ids[i] == b.ids[i]);
      CHECK(whole->workload.strings.text(a.names[i]) == workload->strings.text(b.names[i]));
      CHECK(a.duration_ps(i) == b.duration_ps(i));
    }
  }
  std::map<std::string, int> count;
  for (const workload::Program& program : workload->programs) {
    for (std::size_t i = 0; i < program.size(); ++i) {
      const std::string_view name = workload->strings.text(program.names[i]);
      if (program.kinds[i] == workload::ActivityKind::send) ++count[std::string(name)];
      if (name.ends_with("forward sum")) ++count["sum"];
      if (name == "gradients") ++count["gradients"];
    }
  }
  CHECK(count["send activations"] == 3 * 8);
  CHECK(count["send gradients"] == 3 * 8);
  CHECK(count["sum"] == 8 * 2 * 8);    // two halves of eight layers, eight micro-batches
  CHECK(count["gradients"] == 8 + 2);  // a bucket per layer, and one each for embedding and head
}

TEST_CASE("a sweep tries what divides, and counts what does not") {
  StepPlan plan = small_plan();
  const SweepPlans sweep = sweep_plans(plan, {.micro_batch = {1, 3}});
  CHECK(!sweep.plans.empty());
  CHECK(sweep.impossible.at("training.global_batch") > 0);
  for (const StepPlan& one : sweep.plans) {
    CHECK(one.job.tensor * one.job.pipeline * one.job.data == 16);
    CHECK(field_of(one).empty());
  }
}
