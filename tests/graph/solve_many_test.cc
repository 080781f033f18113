#include "graph/solve_many.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <random>
#include <vector>

#include "graph/slack.h"
#include "plain_graph.h"
#include "random_edits.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

TEST_CASE("no scenarios, no solutions") { CHECK(solve_many({}).empty()); }

TEST_CASE("scenarios on a graph without nodes") {
  const std::vector<Edits> scenarios(3, Edits(Graph()));
  for (const Solution& solution : solve_many(scenarios)) CHECK(solution.end() == kNoNode);
}

TEST_CASE("several at once are several one by one") {
  CHECK(rc::check([] {
    const PlainGraph plain = random_graph();
    const Graph graph = plain.build();
    const bool named = !plain.durations.empty() && *rc::gen::arbitrary<bool>();
    const NodeId end = named ? *rc::gen::inRange<NodeId>(0, static_cast<NodeId>(plain.durations.size())) : kNoNode;
    const auto count = *rc::gen::inRange<std::size_t>(0, 18);
    std::vector<Edits> scenarios;
    std::vector<PlainGraph> edited(count, plain);
    for (std::size_t i = 0; i < count; ++i) scenarios.push_back(random_edits(graph, edited[i], 5));
    const std::vector<Solution> solutions = solve_many(scenarios, end);
    RC_ASSERT(solutions.size() == count);
    if (named) {
      const auto at_once = *rc::gen::inRange<std::size_t>(1, kSolvedAtOnce + 1);
      const std::vector<TimePs> lengths = solve_lengths(
          count, end, [&](std::size_t i) { return scenarios[i]; }, at_once);
      RC_ASSERT(lengths.size() == count);
      for (std::size_t i = 0; i < count; ++i) RC_ASSERT(lengths[i] == solutions[i].length());
    }
    for (std::size_t i = 0; i < count; ++i) {
      require_equal(solutions[i], edited[i].solve(end));
      const Slack slack(solutions[i]), alone(solve(scenarios[i], end));
      for (NodeId node = 0; node < graph.node_count(); ++node) RC_ASSERT(slack.node(node) == alone.node(node));
    }
  }));
}

TEST_CASE("scenarios with weights of their own throughout, beside such with few changes") {
  PlainGraph plain;
  std::mt19937 random(5);
  plain.durations.assign(9000, 1);
  for (NodeId node = 1; node < 9000; ++node) {
    for (int k = 0; k < 2; ++k) {
      const NodeId source = node - 1 - static_cast<NodeId>(random() % std::min<NodeId>(node, 50));
      plain.edges.push_back({source, node, static_cast<TimePs>(random() % 20)});
    }
  }
  const Graph graph = plain.build();
  std::vector<Edits> scenarios;
  for (int i = 0; i < 11; ++i) {
    Edits edits(graph);
    const std::size_t changes = i % 3 == 0 ? 15'000 : 10;
    for (std::size_t k = 0; k < changes; ++k) {
      edits.set_weight(static_cast<Slot>(random() % graph.edge_count()), static_cast<TimePs>(random() % 40));
      if (i % 2 == 0) edits.set_duration(static_cast<NodeId>(random() % graph.node_count()), 3);
    }
    scenarios.push_back(edits);
  }
  const std::vector<Solution> solutions = solve_many(scenarios);
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const Solution alone = solve(scenarios[i]);
    CHECK(finishes(solutions[i]) == finishes(alone));
    CHECK(solutions[i].end() == alone.end());
    CHECK(solutions[i].path().slots == alone.path().slots);
  }
}
