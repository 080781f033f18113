#include "llm/steps/measured_network.h"

#include <doctest/doctest.h>

#include "llm/shipped.h"

namespace orrery::llm {
namespace {

constexpr double kRanks = 128;

StepPlan plan_of(double tensor) {
  StepPlan plan;
  plan.job = {.devices = kRanks, .tensor = tensor, .data = kRanks / tensor};
  return plan;
}
double seconds_of(const StepPlan& plan, const MeasuredBus& bus, const CommQuestion& question) {
  const Cluster* cluster = find_cluster(shipped(), "aws_p5");
  REQUIRE(cluster != nullptr);
  const auto price = measured_prices(plan, shipped_device("h100"), *cluster, bus)(question);
  REQUIRE(price);
  return static_cast<double>(*price) * 1e-12;
}
MeasuredBus gathers_at(double gb_per_s) {
  MeasuredBus bus;
  bus.all_gather = gb_per_s;
  return bus;
}
CommQuestion gather(ParallelAxis axis, double bytes) {
  return {.collective = workload::Collective::all_gather, .axis = axis, .bytes = static_cast<std::int64_t>(bytes)};
}

}  // namespace

TEST_CASE("all ranks get the bandwidth that they measured, for the buffer that they timed") {
  const StepPlan plan = plan_of(1);
  const double timed = find_cluster(shipped(), "aws_p5")->timed_mb * 1e6;
  // Bytes of an all-gather are those of one rank.
  const double seconds = seconds_of(plan, gathers_at(28), gather(ParallelAxis::data, timed / kRanks));
  CHECK(seconds == doctest::Approx((kRanks - 1) / kRanks * timed / 28e9).epsilon(0.01));
}

TEST_CASE("a slow network is one of long latencies: small messages across nodes suffer as much as large ones") {
  const StepPlan plan = plan_of(16);
  const MeasuredBus fast = gathers_at(126), slow = gathers_at(26);
  for (const double bytes : {1e3, 1e6}) {
    const CommQuestion question = gather(ParallelAxis::tensor, bytes);
    CHECK(seconds_of(plan, slow, question) > 5 * seconds_of(plan, fast, question));
  }
}

TEST_CASE("inside a node nothing of the network matters, and a rank per node has a part of the ports") {
  const StepPlan plan = plan_of(8);
  const CommQuestion inside = gather(ParallelAxis::tensor, 1e7);
  CHECK(seconds_of(plan, gathers_at(126), inside) == seconds_of(plan, gathers_at(26), inside));
  // Sixteen ranks, one per node, or two nodes full of them: eight times the ports.
  const double rails = seconds_of(plan, gathers_at(126), gather(ParallelAxis::data, 1e9));
  const double nodes = seconds_of(plan_of(16), gathers_at(126), gather(ParallelAxis::tensor, 1e9));
  CHECK(rails == doctest::Approx(8 * nodes).epsilon(0.02));
}

}  // namespace orrery::llm
