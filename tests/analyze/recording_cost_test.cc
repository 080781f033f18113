#include "analyze/whatif/recording_cost.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "graph/longest_path.h"
#include "support/kineto_lines.h"

namespace orrery::analyze {
namespace {

causal::CausalGraph step_of(const std::string& lines) {
  const orrery::testing::SmallTrace small(lines);
  Diagnostics diagnostics;
  Result<causal::CausalGraph> step = causal::make_causal_graph(small.trace(), small.rank(), {"", {}, {}}, diagnostics);
  REQUIRE(step);
  return std::move(*step);
}

// Ten operators of 10 us, one behind the other.
std::string operators() {
  std::string lines;
  for (int i = 0; i < 10; ++i) lines += "1 " + std::to_string(10 * i) + " 10 cpu_op op" + std::to_string(i) + "\n";
  return lines;
}

TEST_CASE("without a ruler, every event costs the same, if the time without the recorder is known") {
  const causal::CausalGraph step = step_of(operators());
  const RecordingCost cost(step);
  CHECK(cost.events() == 10);
  CHECK_FALSE(cost.has_ruler());
  CHECK(cost.fitted() == 0);
  CHECK(cost.length(cost.fitted()) == step.span);
  const CalibratedCost found = calibrate(cost, 70 * kPsPerUs);
  CHECK(found.explains);
  CHECK(found.share == 3 * kWholeCost);  // of a microsecond
  CHECK(found.length == 70 * kPsPerUs);
  const causal::CausalGraph without = without_recorder(step_of(operators()), cost.savings(found.share));
  CHECK(without.span == found.length);
  CHECK(graph::solve(without.graph, without.end).length() == found.length);
}

TEST_CASE("what recording cannot explain is said") {
  const causal::CausalGraph step = step_of(operators());
  const RecordingCost cost(step);
  CHECK_FALSE(calibrate(cost, 120 * kPsPerUs).explains);
  CHECK(calibrate(cost, 100 * kPsPerUs).explains);
  const causal::CausalGraph sleeping = step_of("1 0 1 cpu_op a\n1 1000 1 cpu_op b\n");
  CHECK_FALSE(calibrate(RecordingCost(sleeping), 10 * kPsPerUs).explains);
}

TEST_CASE("what an event owes is paid beside it, never across a wait") {
  // The second operator is shorter than what recording it cost: the rest lies in the one behind it.
  const causal::CausalGraph step = step_of("1 0 10 cpu_op a\n1 10 1 cpu_op b\n1 11 10 cpu_op c\n");
  CHECK(RecordingCost(step).length(4 * kWholeCost) == 9 * kPsPerUs);
}

// Wrappers around a view, as recorded: 2 us before each that begins, 1 us before each that ends, and work of 20 us in
// the operators between them.
std::string wrappers(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const int at = 40 * i;
    lines += fmt::format("1 {} 6 cpu_op aten::t\n1 {} 3 cpu_op aten::as_strided\n", at, at + 2);
    lines += fmt::format("1 {} 30 cpu_op aten::mm\n1 {} 2 cpu_op aten::empty\n", at + 8, at + 10);
  }
  return lines;
}

TEST_CASE("operators that do next to nothing are the ruler") {
  const causal::CausalGraph step = step_of(wrappers(20));
  const RecordingCost cost(step);
  CHECK(cost.has_ruler());
  CHECK(cost.events() == 80);
  CHECK(cost.per_event() >= 2 * kPsPerUs);
  const TimePs length = cost.length(cost.fitted());
  CHECK(length < step.span);
  // Nothing becomes shorter than nothing, and what is not recording stays.
  for (const RecordingCost::Saving& saving : cost.savings(cost.fitted())) {
    CHECK(saving.time >= 0);
    CHECK(saving.time <= step.graph.weight(saving.slot));
  }
  CHECK(length > 20 * 15 * kPsPerUs);
  const auto [low, high] = cost.interval(cost.fitted());
  CHECK(low <= length);
  CHECK(high >= length);
}

TEST_CASE("savings come from the recorder's own calls and from what they slow down") {
  const causal::CausalGraph step = step_of(wrappers(20));
  const RecordingCost cost(step);
  const auto savings = cost.savings(cost.fitted());
  const auto parts = cost.parts();
  REQUIRE(parts.size() == savings.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    CHECK(parts[i].slot == savings[i].slot);
    REQUIRE(parts[i].calls);
    const TimePs weight = step.graph.weight(parts[i].slot);
    CHECK(savings[i].time == weight - (weight - *parts[i].calls) * 1000 / cost.slowdown_permille());
  }
  const causal::CausalGraph unknown = step_of("1 0 10 cpu_op a\n1 10 1 cpu_op b\n1 11 10 cpu_op c\n");
  for (const RecordingCost::Parts& part : RecordingCost(unknown).parts()) CHECK_FALSE(part.calls);
}

TEST_CASE("a step that waits for the device is as long without the recorder") {
  std::string lines = wrappers(20);
  lines += "1 1 1 cuda_runtime cudaLaunchKernel correlation=1\n";
  lines += "gpu0/7 8 5000 kernel gemm correlation=1\n";
  const causal::CausalGraph step = step_of(lines);
  const RecordingCost cost(step);
  REQUIRE(cost.has_ruler());
  CHECK(step.span - cost.length(cost.fitted()) <= 5 * kPsPerUs);
  CHECK(cost.length(cost.fitted()) >= 5000 * kPsPerUs);
}

}  // namespace
}  // namespace orrery::analyze
