#include "workload/replay.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "graph/longest_path.h"
#include "graph/slack.h"
#include "workload/program_builder.h"

using namespace orrery;
using namespace orrery::workload;

namespace {

Program random_program() {
  ProgramBuilder builder;
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 30);
  for (std::uint64_t i = 0; i < count; ++i) {
    builder.add({.id = i, .kind = ActivityKind::compute, .duration_ps = *rc::gen::inRange<TimePs>(0, 100)});
    for (std::uint64_t before = 0; before < i; ++before) {
      if (*rc::gen::inRange(0, 5) == 0) builder.depend(before, *rc::gen::element(Dependency::data, Dependency::start));
    }
  }
  return std::move(*std::move(builder).build());
}

}  // namespace

TEST_CASE("the graph of a program with its durations finishes when the replay does") {
  CHECK(rc::check([] {
    const Program program = random_program();
    const ProgramReplay replay = replay_alone(program);
    const auto graph = timed_graph(program);
    RC_ASSERT(graph.ok());
    const graph::Solution solution = graph::solve(*graph);
    for (graph::NodeId i = 0; i < program.size(); ++i) RC_ASSERT(solution.start(i) == replay.start[i]);
    RC_ASSERT(solution.length() == replay.span);
  }));
}

TEST_CASE("what ends too late is named") {
  ProgramBuilder builder;
  builder.add({.id = 0, .kind = ActivityKind::compute, .duration_ps = 10});
  builder.add({.id = 1, .kind = ActivityKind::compute, .duration_ps = 10});
  builder.depend(0, Dependency::data);
  const Program program = std::move(*std::move(builder).build());
  std::vector<TimePs> starts(2), ends(2);
  CHECK(replay_alone(program, 5, 24, starts, ends) == 1u);
  CHECK(ends[0] == 15);
  CHECK_FALSE(replay_alone(program, 5, 25, starts, ends));
}
