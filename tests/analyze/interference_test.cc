// Computing beside communication: what it takes alone, and what edits of either make of it. Times are added up by hand:
// 32 of 132 units taken make a kernel of which nothing is known 1.32 times as long.
#include "analyze/whatif/interference.h"

#include <doctest/doctest.h>

#include "analyze/roofline/owner_prices.h"
#include "causal/step_path_text.h"
#include "edited.h"

namespace orrery::analyze {
namespace {

constexpr TimePs us = kPsPerUs;

machine::Device device_of_132_units() {
  machine::Device device;
  device.compute_unit_count = 132;
  device.memory.bandwidth_gb_per_s = 4800;
  return device;
}

/// A kernel of 100 us with 40 us of a collective beside it, which the host waits for.
constexpr const char* kBeside = R"trace(
    1       0    2    cuda_runtime  cudaLaunchKernel       correlation=1
    1       3    2    cuda_runtime  cudaLaunchKernel       correlation=2
    1       6    104  cuda_runtime  cudaDeviceSynchronize
    gpu0/7  5    100  kernel        gemm                   correlation=1
    gpu0/9  10   40   kernel        ncclDevKernel_AllReduce_Sum_f32_RING_LL correlation=2
)trace";

struct Beside {
  explicit Beside(const char* lines) : small(lines) {
    auto made = causal::make_causal_graph(small.trace(), small.trace().ranks.front(), causal::testing::whole(), said);
    REQUIRE(made.ok());
    job = std::move(*made);
    auto found = Interference::find(job, small.trace(), device_of_132_units(), {});
    REQUIRE(found.ok());
    beside = std::move(*found);
  }
  [[nodiscard]] TimePs length(const std::vector<std::string>& edits) const {
    return what_if(testing::edits_of(job, edits), 0, &beside).after.length;
  }

  causal::testing::SmallTrace small;
  Diagnostics said;
  causal::CausalGraph job;
  Interference beside;
};

/// Within what rounding to whole nanoseconds of settled kernels leaves.
bool is_about(TimePs time, double wanted_us) { return std::abs(to_us(time) - wanted_us) < 0.01; }

TEST_CASE("without communication a kernel takes what it takes alone") {
  const Beside world(kBeside);
  const TimePs as_recorded = world.job.span;
  const double alone = 60 + 40 / 1.32;
  CHECK(is_about(as_recorded - world.length({"comm remove"}), 100 - alone));
  // As recorded it is as long as it was.
  CHECK(is_about(as_recorded - world.length({"comm * 1"}), 0));
  const InterferenceCost cost = world.beside.recorded(world.job);
  CHECK(cost.kernels == 1);
  CHECK(cost.beside == 40 * us);
  CHECK(is_about(cost.lost, 100 - alone));
}

TEST_CASE("longer communication slows down what then lies beside it") {
  const Beside world(kBeside);
  // 5 us before it, 80 us beside it, the rest behind it.
  const double alone = 60 + 40 / 1.32, rest = alone - 5 - 80 / 1.32;
  CHECK(is_about(world.length({"comm * 2"}) - world.job.span, 5 + 80 + rest - 100));
  const WhatIf twice = what_if(testing::edits_of(world.job, {"comm * 2"}), 0, &world.beside);
  const InterferenceCost after = world.beside.in_run(twice.edited.unpaused);
  CHECK(is_about(after.beside, 80));
  CHECK(is_about(after.lost, 80 - 80 / 1.32));
}

TEST_CASE("an edit of computing scales what it takes alone") {
  const Beside world(kBeside);
  // Half of the work: 5 us before the collective, 40 us beside it, and the rest.
  const double alone = (60 + 40 / 1.32) / 2, rest = alone - 5 - 40 / 1.32;
  CHECK(is_about(world.job.span - world.length({"kernel * 0.5"}), 100 - (5 + 40 + rest)));
}

TEST_CASE("a device of which nobody says how large it is cannot be shared out") {
  const causal::testing::SmallTrace small(kBeside);
  Diagnostics said;
  const auto job =
      causal::make_causal_graph(small.trace(), small.trace().ranks.front(), causal::testing::whole(), said);
  REQUIRE(job.ok());
  CHECK_FALSE(Interference::find(*job, small.trace(), machine::Device(), {}).ok());
}

TEST_CASE("a sweep has the answers of single questions") {
  const Beside world(kBeside);
  const GraphEdits edits = testing::edits_of(world.job, {"comm * 1"});
  const std::vector<SweepRow> rows = sweep(edits, {0, 0.5, 1, 2}, &world.beside);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0].length == world.length({"comm * 0"}));
  CHECK(rows[1].length == world.length({"comm * 0.5"}));
  CHECK(rows[3].length == world.length({"comm * 2"}));
}

TEST_CASE("kernels that ran both alone and beside communication show how much of the law holds") {
  std::string lines;
  const auto add = [&](int at, const std::string& lane, const std::string& kind, const std::string& name, int time,
                       int correlation) {
    lines += "    " + lane + " " + std::to_string(at) + " " + std::to_string(time) + " " + kind + " " + name +
             " correlation=" + std::to_string(correlation) + "\n";
  };
  // Ten kernels, each launched and waited for: five of 100 us alone, five of 116 us beside a collective. The law has
  // those lose a quarter of what they take: 28.1 us. They lose 16.
  int at = 0;
  for (int i = 0; i < 10; ++i) {
    const bool is_beside = i >= 5;
    add(at, "1", "cuda_runtime", "cudaLaunchKernel", 2, 2 * i + 1);
    add(at + 3, "1", "cuda_runtime", "cudaLaunchKernel", 2, 2 * i + 2);
    add(at + 6, "1", "cuda_runtime", "cudaDeviceSynchronize", is_beside ? 119 : 103, 100 + i);
    add(at + 5, "gpu0/7", "kernel", "gemm", is_beside ? 116 : 100, 2 * i + 1);
    if (is_beside) add(at + 5, "gpu0/9", "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 116, 2 * i + 2);
    at += 150;
  }
  const Beside world(lines.c_str());
  REQUIRE(world.beside.of_law().has_value());
  CHECK(*world.beside.of_law() == doctest::Approx(16 / (116 - 116 / 1.32)));
  CHECK(is_about(world.beside.recorded(world.job).lost, 5 * 16));
  const TimePs without = testing::length_after(world.job, {"comm remove"});
  CHECK(to_us(without - world.length({"comm remove"})) == doctest::Approx(5 * 16).epsilon(0.001));
  // One is not enough to say.
  CHECK_FALSE(Beside(kBeside).beside.of_law().has_value());
}

TEST_CASE("other devices do not count, and neither does what nobody lies beside") {
  const Beside other(R"trace(
    1       0    2    cuda_runtime  cudaLaunchKernel       correlation=1
    1       3    2    cuda_runtime  cudaLaunchKernel       correlation=2
    1       6    104  cuda_runtime  cudaDeviceSynchronize
    gpu0/7  5    100  kernel        gemm                   correlation=1
    gpu1/9  10   40   kernel        ncclDevKernel_AllReduce_Sum_f32_RING_LL correlation=2
)trace");
  CHECK(other.beside.recorded(other.job).kernels == 0);
  CHECK(other.length({"comm remove"}) == testing::length_after(other.job, {"comm remove"}));
}

}  // namespace
}  // namespace orrery::analyze
