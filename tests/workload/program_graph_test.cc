// A program is a graph with durations: what is asked of graphs can be asked of it.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "graph/longest_path.h"
#include "graph/slack.h"
#include "workload/program_builder.h"

using namespace orrery;
using namespace orrery::workload;

namespace {

struct Need {
  std::uint64_t on;
  Dependency type;
};

struct Plain {
  TimePs duration;
  std::vector<Need> needs;
};

std::vector<Plain> random_activities() {
  std::vector<Plain> activities(*rc::gen::inRange<std::size_t>(1, 30));
  for (std::uint64_t i = 0; i < activities.size(); ++i) {
    activities[i].duration = *rc::gen::inRange<TimePs>(0, 100);
    for (std::uint64_t before = 0; before < i; ++before) {
      if (*rc::gen::inRange(0, 5) == 0)
        activities[i].needs.push_back({before, *rc::gen::element(Dependency::data, Dependency::start)});
    }
  }
  return activities;
}

/// With `backwards`, ids fall along the dependencies, so that the graph has to renumber its nodes.
Program program_of(const std::vector<Plain>& activities, bool backwards = false) {
  const auto id = [&](std::uint64_t i) { return backwards ? activities.size() - 1 - i : i; };
  ProgramBuilder builder;
  for (std::uint64_t i = 0; i < activities.size(); ++i) {
    builder.add({.id = id(i), .kind = ActivityKind::compute, .duration_ps = activities[i].duration});
    for (const Need& need : activities[i].needs) builder.depend(id(need.on), need.type);
  }
  return std::move(*std::move(builder).build());
}

/// As the words say it: from the first activity to the last.
std::vector<TimePs> expected_starts(const std::vector<Plain>& activities) {
  std::vector<TimePs> starts;
  for (const Plain& activity : activities) {
    TimePs start = 0;
    for (const Need& need : activity.needs)
      start = std::max(start, starts[need.on] + (need.type == Dependency::start ? 0 : activities[need.on].duration));
    starts.push_back(start);
  }
  return starts;
}

TimePs expected_length(const std::vector<Plain>& activities) {
  const std::vector<TimePs> starts = expected_starts(activities);
  TimePs length = 0;
  for (std::size_t i = 0; i < activities.size(); ++i) length = std::max(length, starts[i] + activities[i].duration);
  return length;
}

}  // namespace

TEST_CASE(
    "the graph of a program starts each activity when what it waits for has ended, or started where that is enough") {
  CHECK(rc::check([] {
    const std::vector<Plain> activities = random_activities();
    const bool backwards = *rc::gen::arbitrary<bool>();
    const Program program = program_of(activities, backwards);
    const graph::Solution solution = graph::solve(program.dependencies);
    const std::vector<TimePs> starts = expected_starts(activities);
    const auto count = static_cast<graph::NodeId>(activities.size());
    for (graph::NodeId i = 0; i < count; ++i) {
      const graph::NodeId node = backwards ? count - 1 - i : i;
      RC_ASSERT(program.duration_ps(node) == activities[i].duration);
      RC_ASSERT(solution.start(node) == starts[i]);
    }
    RC_ASSERT(solution.length() == expected_length(activities));
  }));
}

TEST_CASE(
    "edits of a program's durations do what another program would, also behind edges for which the start is enough") {
  CHECK(rc::check([] {
    std::vector<Plain> activities = random_activities();
    const Program program = program_of(activities);
    graph::Edits edits(program.dependencies);
    for (graph::NodeId i = 0; i < activities.size(); ++i) {
      if (*rc::gen::inRange(0, 3) == 0)
        edits.set_duration(i, activities[i].duration = *rc::gen::inRange<TimePs>(0, 100));
    }
    const graph::Solution solution = graph::solve(edits);
    const std::vector<TimePs> starts = expected_starts(activities);
    for (graph::NodeId i = 0; i < activities.size(); ++i) RC_ASSERT(solution.start(i) == starts[i]);
    RC_ASSERT(solution.length() == expected_length(activities));
  }));
}

TEST_CASE("an activity may grow by its slack, and not by more") {
  CHECK(rc::check([] {
    std::vector<Plain> activities = random_activities();
    const Program program = program_of(activities);
    const graph::Slack slack(graph::solve(program.dependencies));
    const TimePs length = expected_length(activities);
    const auto node = *rc::gen::inRange<graph::NodeId>(0, static_cast<graph::NodeId>(activities.size()));
    activities[node].duration += slack.node(node);
    RC_ASSERT(expected_length(activities) == length);
    ++activities[node].duration;
    RC_ASSERT(expected_length(activities) == length + 1);
  }));
}

TEST_CASE(
    "the derivative of a program's length is what is on its longest path, between what one more and one less of a "
    "group do") {
  CHECK(rc::check([] {
    std::vector<Plain> activities = random_activities();
    for (Plain& activity : activities) ++activity.duration;  // so that each can be shortened
    const Program program = program_of(activities);
    const graph::Solution solution = graph::solve(program.dependencies);
    const graph::Path path = solution.path();
    graph::Edits more(program.dependencies), less(program.dependencies);
    std::vector<bool> in_group(activities.size());
    for (graph::NodeId i = 0; i < activities.size(); ++i) {
      in_group[i] = *rc::gen::inRange(0, 3) == 0;
      if (!in_group[i]) continue;
      more.set_duration(i, activities[i].duration + 1);
      less.set_duration(i, activities[i].duration - 1);
    }
    // Where the path leaves an activity by its start, its duration is not on the path.
    TimePs derivative = 0, length = 0;
    for (std::size_t i = 0; i < path.nodes.size(); ++i) {
      if (i < path.slots.size() && program.dependencies.is_start_to_start(path.slots[i])) continue;
      derivative += in_group[path.nodes[i]] ? 1 : 0;
      length += activities[path.nodes[i]].duration;
    }
    RC_ASSERT(length == solution.length());
    // The length is the largest of sums of durations, so it is convex in them: its slope lies between the differences
    // to either side.
    RC_ASSERT(solution.length() - graph::solve(less).length() <= derivative);
    RC_ASSERT(graph::solve(more).length() - solution.length() >= derivative);
  }));
}

TEST_CASE("a duration that no graph holds is refused with the id of its node") {
  ProgramBuilder builder;
  builder.add({.id = 7, .kind = ActivityKind::compute, .duration_ps = graph::kMaxWeightPs + 1});
  const auto program = std::move(builder).build();
  REQUIRE_FALSE(program.ok());
  CHECK(program.error().message == "node 7 lasts longer than 26 days");
}
