// Layers with experts take at least what their host needs to launch them.
#include <doctest/doctest.h>

#include <algorithm>

#include "llm/closed_forms/core_step.h"
#include "llm/shipped.h"
#include "llm/steps/folded_step.h"
#include "llm/steps/paired_passes.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

constexpr double kLaunches = 0.06;  // seconds of both passes: more than the device computes

StepPlan small_experts() {
  StepPlan plan;
  plan.model = {.name = "sparse",
                .layers = 8,
                .hidden = 1024,
                .heads = 16,
                .kv_heads = 16,
                .head_size = 64,
                .ffn = 4096,
                .vocabulary = 1024,
                .experts = Experts{.count = 16, .chosen = 2, .ffn = 512, .dense_layers = 2}};
  plan.job = {
      .sequence = 1024, .global_batch = 32, .micro_batch = 1, .devices = 8, .data = 8, .expert = 8, .zero_stage = 1};
  return plan;
}

/// With a host that takes so long for a layer, and exchanges that take `each`.
TimePs folded(const StepPlan& plan, double launches, TimePs each) {
  StepTimes times = step_times(shipped(), shipped_device("h100"), plan);
  times.layer.host = {.forward = launches / 3, .input_gradient = launches * 2 / 3};
  const auto orders = pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(), {}, false);
  const CommPrice price = [&](const CommQuestion& question) -> Result<TimePs> {
    return question.axis == ParallelAxis::expert ? each : 0;
  };
  const auto step = folded_step(plan, times, orders, price, {});
  REQUIRE(step);
  return step->step_ps;
}

}  // namespace

TEST_CASE("a layer with experts takes as long as it is launched, whatever the device does meanwhile") {
  const StepPlan plan = small_experts();
  const double layers = plan.model.layers - plan.model.experts->dense_layers, passes = 32.0 / 8;
  const TimePs device = folded(plan, 0, 0), exchanging = folded(plan, 0, 1'000'000'000);
  const auto launched = static_cast<TimePs>(1e12 * passes * layers * kLaunches);
  REQUIRE(launched > 2 * exchanging);
  // Layers without experts and the rest of the step are the device's.
  for (const TimePs each : {TimePs{0}, TimePs{1'000'000'000}}) {  // 1 ms: hidden behind the host
    const TimePs step = folded(plan, kLaunches, each);
    CHECK(step >= launched);
    CHECK(step <= launched + device);
  }
  CHECK(folded(plan, 1e-6, 0) == device);  // a fast host holds up nobody
}

TEST_CASE("what launching takes: of the layer, of each expert, and more where passes are cut up") {
  CoreConstants constants;
  constants.expert_us = 100;
  const CoreRelease release{.expert_overhead_factor = 0.5};
  CHECK(launch_seconds(constants, release, 4, {}) == 0);  // devices were always the slower ones
  constants.host_expert_layer_us = 7000;
  constants.host_paired_factor = 1.5;
  CHECK(launch_seconds(constants, release, 4, {}) == doctest::Approx(7.2e-3));
  CHECK(launch_seconds(constants, release, 4, {.paired = true}) == doctest::Approx(10.8e-3));
  CHECK(launch_seconds(constants, release, 4, {Captured::everything, true}) == 0);
  const double router = launch_seconds(constants, release, 4, {Captured::router});
  const double most = launch_seconds(constants, release, 4, {Captured::attention_and_router});
  CHECK(router == doctest::Approx(7.2e-3 - 7e-3 / 3));
  CHECK(most == doctest::Approx(7.2e-3 - 14e-3 / 3));
}

TEST_CASE("recipes hold from a release on until the next one for the same") {
  const CoreConstants& c = shipped().core;
  const auto recipe = [&](SoftwareRelease release, orrery::machine::DataType precision) {
    return recipe_of(c, "Qwen3 30B A3B", "H100", precision, release);
  };
  using orrery::machine::DataType;
  CHECK(recipe({25, 1}, DataType::fp8) == nullptr);
  REQUIRE(recipe({26, 2}, DataType::fp8) != nullptr);
  CHECK(recipe({26, 2}, DataType::fp8)->pairs);
  CHECK_FALSE(recipe({26, 2, 1}, DataType::fp8)->pairs);
  CHECK(recipe({26, 2, 1}, DataType::bf16)->captured == Captured::router);
  CHECK(recipe(kLatestRelease, DataType::fp8)->captured == Captured::nothing);
  CHECK(recipe_of(c, "Qwen3 30B A3B", "GB200", DataType::fp8, kLatestRelease)->captured == Captured::everything);
  CHECK(recipe_of(c, "Nobody's", "GB200", DataType::fp8, kLatestRelease) == nullptr);
}

TEST_CASE("graphs help where little is computed per launch, and nowhere else") {
  const machine::Device& device = shipped_device("h100");
  StepPlan plan = small_experts();
  const auto closed = [&](bool graphs) {
    const Captured captured = graphs ? Captured::everything : Captured::nothing;
    return core_step_seconds(device, shipped().core, plan.model, plan.job, {.captured = captured});
  };
  const auto host = [&](bool graphs) {
    plan.captured = graphs ? Captured::everything : Captured::nothing;
    return step_times(shipped(), device, plan).layer.host.forward;
  };
  CHECK(closed(true) < 0.8 * closed(false));
  CHECK(host(true) == 0);
  CHECK(host(false) > 0);
  plan.job.micro_batch = 4;
  plan.job.sequence = 65536;
  CHECK(closed(true) == closed(false));
}

TEST_CASE("gradients go over the node first, then rail by rail") {
  const machine::Device& device = shipped_device("h100");
  CoreConstants exposing = shipped().core, hiding = exposing;
  hiding.exposed_gradient_share = 0;
  const CoreRates& rates = rates_of(exposing.rates, device.generation);
  Architecture model = small_experts().model;
  model.experts = {};
  // What is exposed of 4 bytes per gradient and 2 per parameter.
  const auto exposed = [&](ParallelJob job) {
    job.devices = job.tensor * job.data;
    const double parameters = core_work(device, model, job, exposing.logit_bytes).rank_parameters;
    return (core_step_seconds(device, exposing, model, job, {}) - core_step_seconds(device, hiding, model, job, {})) /
           (exposing.exposed_gradient_share * 6 * parameters);
  };
  ParallelJob job{.sequence = 1024, .global_batch = 96, .micro_batch = 1};
  const double link = 1 / (rates.tensor_gb_per_s * 1e9), port = 1 / (rates.port_gb_per_s * 1e9);
  job.data = 8;  // one node
  CHECK(exposed(job) == doctest::Approx(7.0 / 8 * link));
  job.data = 16;  // two of them: eight ports, each of an eighth
  CHECK(exposed(job) == doctest::Approx(7.0 / 8 * link + port / 8));
  job.tensor = 2, job.data = 48;
  CHECK(exposed(job) == doctest::Approx(3.0 / 4 * link + port / 4));
  job.tensor = 8;  // nobody near has the same part
  CHECK(exposed(job) == doctest::Approx(port));
}

TEST_CASE("in a pair, what the host launches beside the chain does not take the wait for tokens away from it") {
  const LayerItem exchange{.name = {.what = "combine"}, .is_collective = true, .axis = ParallelAxis::expert};
  const LayerItem launch{.name = {.what = "launches"}, .on_host = true, .joins = false, .duration_ps = 9};
  const LayerItem next{.name = {.what = "attention"}, .duration_ps = 5};
  const LayerSchedule both = pair_passes({exchange, launch, next}, {{.name = {.what = "other"}, .duration_ps = 4}});
  const auto place_of = [&](std::string_view what) {
    const auto found = std::find_if(both.begin(), both.end(), [&](const auto& item) { return item.name.what == what; });
    return static_cast<std::size_t>(found - both.begin());
  };
  REQUIRE(place_of("attention") < both.size());
  CHECK(both[place_of("attention")].waits_for[0] == static_cast<std::int32_t>(place_of("combine")));
  CHECK(both[place_of("launches")].waits_for[0] == static_cast<std::int32_t>(place_of("combine")));
}
