#include "llm/steps/paired_passes.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "llm/shipped.h"
#include "llm/steps/folded_step.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

LayerItem compute(std::string_view what, TimePs duration) { return {.name = {.what = what}, .duration_ps = duration}; }
LayerItem exchange(std::string_view what) {
  return {.name = {.what = what},
          .is_collective = true,
          .collective = workload::Collective::all_to_all,
          .axis = ParallelAxis::expert,
          .bytes = 1};
}

StepPlan expert_plan() {
  StepPlan plan;
  plan.model = {.name = "sparse",
                .layers = 8,
                .hidden = 2048,
                .heads = 16,
                .kv_heads = 16,
                .head_size = 128,
                .ffn = 8192,
                .vocabulary = 32000,
                .experts = Experts{.count = 16, .chosen = 4, .ffn = 1024}};
  plan.job = {.sequence = 2048,
              .global_batch = 64,
              .micro_batch = 1,
              .devices = 16,
              .pipeline = 2,
              .data = 8,
              .expert = 8,
              .zero_stage = 1};
  plan.captured = Captured::everything;  // what the device does is asked about
  return plan;
}

/// All collectives take as long.
TimePs folded(StepPlan plan, bool pairs, TimePs each, double slowdown = 1) {
  plan.overlap.experts = pairs;
  const StepTimes times = step_times(shipped(), shipped_device("h100"), plan);
  const auto orders = pipeline_orders(plan.order, plan.stages(), plan.chunks(), plan.micro_batches(), {}, pairs);
  const CommPrice price = [&](const CommQuestion& question) -> Result<TimePs> {
    return question.axis == ParallelAxis::expert ? each : 0;
  };
  const auto step =
      folded_step(plan, times, orders, price, {.eager_limit_bytes = 1 << 30, .exchange_slowdown = slowdown});
  REQUIRE(step);
  return step->step_ps;
}

}  // namespace

TEST_CASE("while tokens of one pass are under way, the other one computes") {
  const LayerSchedule forward = {compute("attention", 5), exchange("dispatch"), compute("experts", 7),
                                 exchange("combine")};
  const LayerSchedule backward = {exchange("combine backward"), compute("experts backward", 9),
                                  exchange("dispatch backward"), compute("rest", 2)};
  const LayerSchedule both = pair_passes(forward, backward);
  std::vector<std::string_view> names;
  std::map<std::string_view, std::int32_t> place;
  for (const LayerItem& item : both) {
    place[item.name.what] = static_cast<std::int32_t>(names.size());
    names.push_back(item.name.what);
    if (item.is_collective) CHECK_FALSE(item.joins);
  }
  CHECK(names == std::vector<std::string_view>{"combine backward", "attention", "dispatch", "experts backward",
                                               "dispatch backward", "experts", "combine", "rest", "wait"});
  // Each waits for its own tokens, and the end for those of the last exchange.
  CHECK(both[static_cast<std::size_t>(place["experts backward"])].waits_for[0] == place["combine backward"]);
  CHECK(both[static_cast<std::size_t>(place["experts"])].waits_for[0] == place["dispatch"]);
  CHECK(both[static_cast<std::size_t>(place["rest"])].waits_for[0] == place["dispatch backward"]);
  CHECK(both.back().waits_for[0] == place["combine"]);
}

TEST_CASE("an exchange that already runs beside is waited for where its own pass needs it") {
  LayerSchedule forward = {exchange("dispatch"), compute("shared expert", 3), compute("experts", 7)};
  forward[0].joins = false;
  forward[2].waits_for[0] = 0;
  const LayerSchedule both = pair_passes(forward, {compute("other", 4)});
  REQUIRE(both.size() == 4);
  CHECK(both[0].name.what == "other");
  CHECK(both[3].name.what == "experts");
  CHECK(both[3].waits_for[0] == 1);
}

TEST_CASE("pairs hide exchanges as far as there is computing, and never more") {
  const StepPlan plan = expert_plan();
  const TimePs without_exchange = folded(plan, false, 0);
  const TimePs slow = 300'000'000;  // 0.3 ms each: less than the experts of a layer take
  CHECK(folded(plan, true, slow) < folded(plan, false, slow));
  CHECK(folded(plan, true, slow) >= without_exchange);
  // What hides nothing costs little: only that pairs begin earlier.
  CHECK(folded(plan, true, 0) < 1.25 * static_cast<double>(without_exchange));
  // Exchanges that take longer than all computing are not hidden.
  const TimePs endless = 1'000'000'000'000;
  CHECK(folded(plan, true, endless) > 0.9 * static_cast<double>(folded(plan, false, endless)));
}

TEST_CASE("computing takes longer beside an exchange, and only there") {
  const StepPlan plan = expert_plan();
  const TimePs each = 300'000'000;
  const TimePs alone = folded(plan, true, each), beside = folded(plan, true, each, 1.25);
  CHECK(alone < beside);
  CHECK(static_cast<double>(beside) <= 1.25 * static_cast<double>(alone));
  CHECK(folded(plan, false, each, 1.25) == folded(plan, false, each));  // nothing runs beside
  CHECK(folded(plan, true, 0, 1.25) == folded(plan, true, 0));
}

TEST_CASE("an all-to-all carries a copy of a token for each expert, in 16 bits; a library one for each domain") {
  StepPlan plan = expert_plan();
  plan.precision = machine::DataType::fp8;
  plan.domain_devices = 4;
  const StepTimes times = step_times(shipped(), shipped_device("h100"), plan);
  const auto bytes_with = [&](Dispatch dispatch) {
    plan.dispatch = dispatch;
    const LayerSchedule schedule = LayerSchedules(plan, times).make({.pass = Pass::forward, .part = 0});
    const auto found = std::find_if(schedule.begin(), schedule.end(),
                                    [](const LayerItem& item) { return item.axis == ParallelAxis::expert; });
    REQUIRE(found != schedule.end());
    return static_cast<double>(found->bytes);
  };
  const double tokens = 2048, width = 2048, domains = 2;
  CHECK(bytes_with(Dispatch::all_to_all) == 2 * tokens * width * 4);
  const double reached = domains * (1 - std::pow(1 - 1 / domains, 4));
  CHECK(bytes_with(Dispatch::forwarded) == doctest::Approx(1.5 * tokens * width * reached));
  CHECK(bytes_with(Dispatch::fused) == bytes_with(Dispatch::forwarded));
}

TEST_CASE("a library that sorts tokens as it sends them takes as long as the longer of both") {
  StepPlan apart = expert_plan(), fused = apart;
  fused.dispatch = Dispatch::fused;
  const PassTimes sorting = step_times(shipped(), shipped_device("h100"), fused).layer.sorting;
  CHECK(sorting.forward > 0);
  CHECK(step_times(shipped(), shipped_device("h100"), apart).layer.sorting.forward == 0);
  CHECK(folded(fused, false, 0) == doctest::Approx(static_cast<double>(folded(apart, false, 0))).epsilon(1e-6));
  // Half of the sorting goes with each of the two exchanges of a pass.
  const auto half = static_cast<TimePs>(sorting.forward / 2 * 1e12);
  CHECK(folded(fused, false, half) < folded(apart, false, half));
  CHECK(folded(fused, false, half) < folded(apart, false, 0) + folded(apart, false, half) / 20);
}
