#include "analyze/whatif/profiler_cost.h"

#include <doctest/doctest.h>

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

TEST_CASE("the cost per event is what explains the time without the profiler") {
  const causal::CausalGraph step = step_of(operators());
  const RecordedEvents events(step);
  CHECK(events.count() == 10);
  const ProfilerCost cost = find_profiler_cost(step.graph, step.end, events, 70 * kPsPerUs);
  CHECK(cost.explains);
  CHECK(cost.per_event == doctest::Approx(3.0 * kPsPerUs).epsilon(0.001));
  CHECK(cost.length <= 70 * kPsPerUs);
  CHECK(cost.length > 70 * kPsPerUs - 10 * kPsPerNs);
  const causal::CausalGraph without = without_profiler(step_of(operators()), cost.per_event);
  CHECK(without.span == cost.length);
  CHECK(graph::solve(without.graph, without.end).length() == cost.length);
}

TEST_CASE("what recording cannot explain is said") {
  const causal::CausalGraph step = step_of(operators());
  const RecordedEvents events(step);
  CHECK_FALSE(find_profiler_cost(step.graph, step.end, events, 120 * kPsPerUs).explains);
  CHECK(find_profiler_cost(step.graph, step.end, events, 100 * kPsPerUs).explains);
  const causal::CausalGraph sleeping = step_of("1 0 1 cpu_op a\n1 1000 1 cpu_op b\n");
  CHECK_FALSE(find_profiler_cost(sleeping.graph, sleeping.end, RecordedEvents(sleeping), 10 * kPsPerUs).explains);
}

TEST_CASE("a step that waits for the device is as long without the profiler") {
  const std::string lines =
      "1 0 10 cpu_op op\n"
      "1 2 3 cuda_runtime cudaLaunchKernel correlation=1\n"
      "gpu0/7 8 500 kernel gemm correlation=1\n";
  const causal::CausalGraph step = step_of(lines);
  const causal::CausalGraph without = without_profiler(step_of(lines), 2 * kPsPerUs);
  CHECK(step.span - without.span <= 2 * kPsPerUs);
}

TEST_CASE("what an event owes is paid beside it, never across a wait") {
  // The second operator is shorter than what recording it cost: the rest lies in the one behind it.
  const causal::CausalGraph step = step_of("1 0 10 cpu_op a\n1 10 1 cpu_op b\n1 11 10 cpu_op c\n");
  graph::Edits edits(step.graph);
  for (const auto& saving : RecordedEvents(step).savings(step.graph, 4 * kPsPerUs))
    edits.set_weight(saving.slot, step.graph.weight(saving.slot) - saving.time);
  CHECK(graph::solve(edits, step.end).length() == 9 * kPsPerUs);
}

}  // namespace
}  // namespace orrery::analyze
