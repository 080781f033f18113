// Other rates and settings of a serving engine: what each line stands for, which are ranked first, and which carry an
// interval.
#include "analyze/forecast/serving_settings.h"

#include <doctest/doctest.h>

#include "analyze/forecast/serving_interval.h"

using namespace orrery;
using namespace orrery::analyze;

namespace {

constexpr llm::LinearStep kStep = {.step_us = 500, .token_us = 5}, kFast = {.step_us = 400, .token_us = 4},
                          kSlow = {.step_us = 700, .token_us = 7};

/// A step as priced, and at the ends of its interval.
struct Costs {
  llm::LinearCost middle{kStep}, low{kFast}, high{kSlow};
  [[nodiscard]] llm::CostRange range() const { return {middle, &low, &high}; }
};

llm::ServingPlan small_plan() {
  llm::ServingPlan plan;
  plan.engine = {.limits = {.kv_blocks = 1000, .max_requests = 16, .max_batch_tokens = 512}};
  plan.arrivals = llm::ArrivalLaw{};
  plan.arrivals->rate_per_s = 100;
  plan.arrivals->count = 60;
  return plan;
}

const Spread& ttft(const std::array<Spread, kRequestMetricNames.size()>& spreads) {
  return spreads[static_cast<std::size_t>(RequestMetric::ttft)];
}

}  // namespace

TEST_CASE("a rate is the run with stretched arrivals, and its interval holds both ends of what steps cost") {
  const llm::ServingPlan plan = small_plan();
  const llm::Requests requests = llm::draw_requests(*plan.arrivals);
  const Costs costs;
  const auto rates = run_rates(plan, requests, costs.range(), {20, 200});
  REQUIRE(rates.ok());
  REQUIRE(rates->size() == 2);
  for (const ServingSetting& setting : *rates) {
    llm::Requests stretched = requests;
    REQUIRE(stretch_arrivals(stretched, setting.values.front().second).ok());
    const auto alone = llm::serve(plan.engine, stretched, costs.middle);
    REQUIRE(alone.ok());
    const ServingSummary summary = summarise(*alone, stretched, plan.objectives);
    CHECK(setting.summary.of(RequestMetric::ttft).p99_ms == summary.of(RequestMetric::ttft).p99_ms);
    REQUIRE(setting.interval.has_value());
    for (const llm::StepCost* end : {&costs.low, &costs.high}) {
      const auto run = llm::serve(plan.engine, stretched, *end);
      REQUIRE(run.ok());
      const double mean = summarise(*run, stretched, plan.objectives).of(RequestMetric::ttft).mean_ms;
      CHECK(ttft(setting.interval->low).mean_ms <= mean);
      CHECK(mean <= ttft(setting.interval->high).mean_ms);
    }
  }
  // Other draws are stretched to the same rate: at a tenth of it queues would be gone.
  CHECK(ttft((*rates)[1].interval->low).p99_ms > ttft((*rates)[0].interval->low).p99_ms);
}

TEST_CASE("costs without ends give no interval") {
  const llm::ServingPlan plan = small_plan();
  const llm::LinearCost cost(kStep);
  const auto rates = run_rates(plan, llm::draw_requests(*plan.arrivals), {cost}, {20});
  REQUIRE(rates.ok());
  CHECK_FALSE(rates->front().interval.has_value());
}

TEST_CASE("the settings that lead a sweep have intervals") {
  llm::ServingPlan plan = small_plan();
  plan.objectives.ttft_ms = 20;
  llm::ServingSpace space;
  space.max_requests = {1, 2, 4, 8, 16, 32};
  space.max_batch_tokens = {128, 256};
  const Costs costs;
  const auto sweep = run_settings(plan, space, llm::draw_requests(*plan.arrivals),
                                  {{1, 0, costs.range(), plan.engine.limits.kv_blocks}}, "");
  REQUIRE(sweep.ok());
  REQUIRE(sweep->settings.size() == 12);
  for (std::size_t i = 0; i < sweep->settings.size(); ++i) {
    CHECK(sweep->settings[i].interval.has_value() == (i < kSettingsWithInterval));
    if (i > 0) CHECK(sweep->settings[i - 1].summary.goodput_per_s() >= sweep->settings[i].summary.goodput_per_s());
  }
}

TEST_CASE("each shape of ranks has costs and a cache of its own, and one without is told") {
  const llm::ServingPlan plan = small_plan();
  llm::ServingSpace space;
  space.tensor = {1, 2};
  space.replicas = {2, 4, 3};
  const llm::LinearCost slow(kSlow), fast(kFast);
  // As where replicas share their experts: three do not divide them.
  const std::vector<ShapeCost> costs = {{1, 2, {{slow}}, 1000}, {1, 4, {{fast}}, 2000}, {1, 3, std::nullopt, 0},
                                        {2, 2, {{fast}}, 3000}, {2, 4, {{fast}}, 3000}, {2, 3, std::nullopt, 0}};
  const auto sweep = run_settings(plan, space, llm::draw_requests(*plan.arrivals), costs, "three do not divide 64");
  REQUIRE(sweep.ok());
  CHECK(sweep->impossible == 2);
  CHECK(sweep->first_impossible == "three do not divide 64");
  REQUIRE(sweep->settings.size() == 4);
  double slowest = 0;
  std::vector<std::pair<std::string, double>> of_slowest;
  for (const ServingSetting& setting : sweep->settings) {
    CHECK(setting.devices == setting.values[0].second * setting.values[1].second);
    if (setting.summary.of(RequestMetric::ttft).mean_ms > slowest)
      slowest = setting.summary.of(RequestMetric::ttft).mean_ms, of_slowest = setting.values;
  }
  REQUIRE(of_slowest.size() == 2);
  CHECK(of_slowest[0].second == 1);
  CHECK(of_slowest[1].second == 2);
}
