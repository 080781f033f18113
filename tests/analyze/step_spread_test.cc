// How much steps differ, and what bounds the long ones.
#include "analyze/path/step_spread.h"

#include <doctest/doctest.h>

#include "support/kineto_lines.h"

using namespace orrery;
using namespace orrery::analyze;
using orrery::testing::SmallTrace;

namespace {

// Steps of these lengths (us) one after the other, each all loader but for 100 us, and one of 500 us before and behind
// them.
std::optional<StepSpread> spread_with(const std::vector<int>& lengths) {
  std::string lines = "1 0 500 user_annotation ProfilerStep#0\n";
  int at = 500, number = 1;
  for (const int length : lengths) {
    lines += "1 " + std::to_string(at) + " " + std::to_string(length) + " user_annotation ProfilerStep#" +
             std::to_string(number++) + "\n";
    lines += "1 " + std::to_string(at) + " " + std::to_string(length - 100) +
             " user_annotation enumerate(DataLoader)#next\n";
    at += length;
  }
  lines += "1 " + std::to_string(at) + " 500 user_annotation ProfilerStep#" + std::to_string(number) + "\n";
  const SmallTrace small(lines);
  return find_step_spread(small.trace(), small.rank());
}

}  // namespace

TEST_CASE("steps that differ have a mean, a spread, and a reason") {
  const auto spread = spread_with({3000, 21000, 3000, 21000});
  REQUIRE(spread);
  CHECK(spread->steps == 4);
  CHECK(spread->differ());
  CHECK(spread->mean == 12'000 * kPsPerUs);
  CHECK(spread->deviation == 9'000 * kPsPerUs);
  CHECK(spread->least == 3'000 * kPsPerUs);
  CHECK(spread->most == 21'000 * kPsPerUs);
  CHECK(spread->long_label == "ProfilerStep#4");
  CHECK(spread->long_span == 21'000 * kPsPerUs);
  CHECK(spread->long_verdict == "100 % bound by data loading");
}

TEST_CASE("which step is long counts among all, the first and the last included; and how it reads") {
  const std::vector<TimePs> spans = {9 * kPsPerMs, 3 * kPsPerMs, 21 * kPsPerMs, 3 * kPsPerMs, 9 * kPsPerMs};
  auto spread = spread_of(spans);
  REQUIRE(spread);
  CHECK(spread->steps == 3);
  CHECK(spread->long_step == 2);
  CHECK(steps_differ(spread) == "Steps differ: 9.00 ms on average of 3, from 3.00 ms to 21.0 ms.");
  spread->long_label = "ProfilerStep#2", spread->long_span = spans[2], spread->long_verdict = "90 % CPU-bound";
  CHECK(steps_differ(spread) ==
        "Steps differ: 9.00 ms on average of 3, from 3.00 ms to 21.0 ms; a long one (ProfilerStep#2, 21.0 ms): 90 % "
        "CPU-bound.");
  CHECK(steps_differ(spread_of(std::vector<TimePs>(5, kPsPerMs))).empty());
  CHECK(steps_differ(std::nullopt).empty());
  CHECK_FALSE(spread_of(std::vector<TimePs>{1, 5, 1}));
}

TEST_CASE("steps that are alike, but for a few of many, do not differ") {
  const auto alike = spread_with({3000, 3300, 3100, 3500});
  REQUIRE(alike);
  CHECK_FALSE(alike->differ());
  CHECK(alike->long_label.empty());
  std::vector<int> many(30, 3000);
  many[7] = 90000;
  CHECK_FALSE(spread_with(many)->differ());
  CHECK_FALSE(spread_with({3000}));
  CHECK(spread_with({})->steps == 2);  // of two, none is left out
}

TEST_CASE("a step lasts until the work that it launched has ended, and begins where that of the steps before has") {
  const SmallTrace small(R"(
      1       0      100   user_annotation  ProfilerStep#0
      1       100    100   user_annotation  ProfilerStep#1
      1       200    100   user_annotation  ProfilerStep#2
      1       300    100   user_annotation  ProfilerStep#3
      1       110    10    cuda_runtime     cudaLaunchKernel  correlation=1
      1       210    10    cuda_runtime     cudaLaunchKernel  correlation=2
      1       310    10    cuda_runtime     cudaLaunchKernel  correlation=3
      gpu0/7  120    980   kernel           gemm              correlation=1
      gpu0/7  1100   1000  kernel           gemm              correlation=2
      gpu0/7  2100   1000  kernel           gemm              correlation=3
  )");
  const auto spread = find_step_spread(small.trace(), small.rank());
  REQUIRE(spread);
  CHECK(spread->least == 1'000 * kPsPerUs);
  CHECK(spread->most == 1'000 * kPsPerUs);
}
