// The causal graph of a step: properties that hold whatever the trace, and details of how moments are explained.
#include "link/step_graph.h"

#include <doctest/doctest.h>

#include "base/parallel.h"
#include "graph/edits.h"
#include "step_path_text.h"
#include "support/simulated_job.h"

using namespace orrery;
using namespace orrery::link;
using namespace orrery::link::testing;
using orrery::testing::Action;
using orrery::testing::all_actions;
using orrery::testing::programs;
using orrery::testing::simulate;
using orrery::testing::SimulatedJob;
using orrery::testing::SimulatedMachine;

namespace {

// As check_promises(), for properties.
void assert_promises(const StepGraph& step) {
  const graph::Solution solution = graph::solve(step.graph, step.end);
  RC_ASSERT(solution.length() == step.window.span());
  RC_ASSERT(step.residual_percent(solution.length()) == 0);
  for (graph::NodeId node = 0; node < step.graph.node_count(); ++node) {
    RC_ASSERT(node == step.begin || solution.chosen(node) != graph::kNoSlot);
    RC_ASSERT(solution.finish(node) == step.time[node]);
  }
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    const graph::NodeId from = step.graph.source(slot), to = step.graph.target(slot);
    RC_ASSERT(step.time[from] <= step.time[to]);
    RC_ASSERT(step.graph.weight(slot) >= 0);
    RC_ASSERT(step.graph.weight(slot) <= step.time[to] - step.time[from]);
    RC_ASSERT(step.kind(slot) != EdgeKind::order || step.graph.weight(slot) == 0);
  }
}

std::string dump(const StepGraph& step) {
  std::string text = step.window.label + "\n";
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    text += std::to_string(step.graph.source(slot)) + " " + std::to_string(step.graph.target(slot)) + " " + describe(step, slot, step.graph.weight(slot)) + "\n";
  }
  return text;
}

// Makes the graph; nullopt if the trace has no work.
std::optional<StepGraph> try_step(const SmallTrace& small, const WindowRequest& request) {
  Diagnostics diagnostics;
  Result<StepGraph> step = make_step_graph(small.trace(), small.rank(), request, diagnostics);
  if (!step) return std::nullopt;
  return std::move(*step);
}

}  // namespace

TEST_CASE("the path is the window, whatever the trace: several threads, streams and devices") {
  CHECK(rc::check([] {
    const std::vector<Action> actions = *programs(3, 2, 3, all_actions());
    RC_PRE(!actions.empty());
    SimulatedMachine machine;
    machine.records_syncs = *rc::gen::arbitrary<bool>();
    const SimulatedJob job = simulate(actions, machine);
    RC_PRE(job.span > 0);
    const SmallTrace small(job.lines);
    const auto everything = try_step(small, whole());
    if (everything) assert_promises(*everything);
    for (std::size_t i = 0; i < static_cast<std::size_t>(job.steps); ++i) {
      const auto step = try_step(small, instance_of("ProfilerStep", i));
      RC_ASSERT(step.has_value());
      assert_promises(*step);
    }
  }));
}

TEST_CASE("graphs do not depend on the number of threads, nor on chance") {
  CHECK(rc::check([] {
    const std::vector<Action> actions = *programs(3, 2, 3, all_actions());
    const SimulatedJob job = simulate(actions);
    RC_PRE(job.span > 0);
    const SmallTrace small(job.lines);
    set_thread_count(1);
    const auto once = try_step(small, {});
    const auto again = try_step(small, {});
    set_thread_count(2);
    const SmallTrace read_by_two(job.lines);
    const auto by_two = try_step(read_by_two, {});
    set_thread_count(0);
    RC_PRE(once.has_value());
    RC_ASSERT(dump(*once) == dump(*again));
    RC_ASSERT(dump(*once) == dump(*by_two));
  }));
}

TEST_CASE("on a machine with constant delays, a what-if is what really happens") {
  CHECK(rc::check([] {
    const std::vector<Action> actions =
        *programs(1, 1, 2, {Action::op, Action::launch, Action::launch, Action::graph_launch, Action::stream_wait, Action::blocking_copy, Action::stream_sync, Action::device_sync});
    const SimulatedJob measured = simulate(actions);
    RC_PRE(measured.span > 0);
    const SmallTrace small(measured.lines);
    const auto step = try_step(small, whole());
    RC_PRE(step.has_value());
    const SimulatedMachine machine;
    RC_PRE(step->typical_launch_delay == machine.launch_ns * kPsPerNs || step->typical_launch_delay == 0);
    RC_PRE(step->typical_kernel_gap == machine.gap_ns * kPsPerNs || step->typical_kernel_gap == 0);
    SimulatedMachine other = machine;
    const auto factors = {0.0, 0.5, 0.8, 1.25, 2.0, 4.0};
    other.kernel_factor = *rc::gen::elementOf(std::vector<double>(factors));
    other.op_factor = *rc::gen::elementOf(std::vector<double>(factors));
    graph::Edits edits(step->graph);
    for (graph::Slot slot = 0; slot < step->graph.edge_count(); ++slot) {
      if (is_device(step->kind(slot))) edits.scale_weight(slot, other.kernel_factor);
      if (step->kind(slot) == EdgeKind::cpu_operator) edits.scale_weight(slot, other.op_factor);
    }
    RC_ASSERT(graph::solve(edits, step->end).length() == simulate(actions, other).span);
  }));
}
