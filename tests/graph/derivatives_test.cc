#include "graph/derivatives.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "graph/slack.h"
#include "plain_graph.h"
#include "random_edits.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

TEST_CASE("what lies on the path counts, the rest does not") {
  const Graph graph = PlainGraph{{10, 10, 1, 0}, {{0, 1, 5}, {0, 2, 4}, {1, 3, 5}, {2, 3, 3}}}.build();
  const Derivatives derivatives(solve(graph));
  CHECK(derivatives.node(0) == 1);
  CHECK(derivatives.node(1) == 1);
  CHECK(derivatives.node(2) == 0);
  CHECK(derivatives.node(3) == 1);
  for (Slot slot = 0; slot < graph.edge_count(); ++slot) {
    const bool on_path = graph.source(slot) == 1 || graph.target(slot) == 1;
    CHECK(derivatives.edge(slot) == (on_path ? 1 : 0));
  }
  CHECK(derivatives.path().nodes == std::vector<NodeId>{0, 1, 3});
}

TEST_CASE("between two paths of the same length the tie-breaks decide") {
  const Graph graph = PlainGraph{{0, 0, 0, 0}, {{0, 2, 5}, {0, 1, 5}, {2, 3, 5}, {1, 3, 5}}}.build();
  const Derivatives derivatives(solve(graph));
  CHECK(derivatives.node(2) == 1);
  CHECK(derivatives.node(1) == 0);
}

TEST_CASE("groups: what they add to the length and how many members do") {
  const Graph graph = PlainGraph{{10, 10, 1, 0}, {{0, 1, 5}, {0, 2, 4}, {1, 3, 6}, {2, 3, 3}}}.build();
  const Solution solution = solve(graph);
  const auto groups = group_derivatives(
      solution, 3, [](NodeId node) { return node == 3 ? kNoGroup : 0; }, [&](Slot slot) { return graph.weight(slot) == 5 ? 1u : 2u; });
  CHECK(groups[0].total == 20);
  CHECK(groups[0].count == 2);
  CHECK(groups[1].total == 5);
  CHECK(groups[1].count == 1);
  CHECK(groups[2].total == 6);
  CHECK(groups[2].count == 1);
}

TEST_CASE("an empty graph has no derivatives to ask for") {
  CHECK(Derivatives(solve(Graph())).path().nodes.empty());
  const auto groups = group_derivatives(
      solve(Graph()), 1, [](NodeId) { return 0u; }, [](Slot) { return 0u; });
  CHECK(groups[0].count == 0);
}

TEST_CASE("totals that do not fit stay at the limit") {
  PlainGraph plain;
  plain.durations.assign(40, kMaxWeightPs);
  for (NodeId node = 1; node < 40; ++node) plain.edges.push_back({node - 1, node, -kMaxWeightPs});
  const Solution solution = solve(plain.build());
  const auto groups = group_derivatives(
      solution, 2, [](NodeId) { return 0u; }, [](Slot) { return 1u; });
  CHECK(groups[0].count == solution.path().nodes.size());
  CHECK(solve(plain.build(), 39).path().nodes.size() == 40);
  const auto all = group_derivatives(
      solve(plain.build(), 39), 2, [](NodeId) { return 0u; }, [](Slot) { return 1u; });
  CHECK(all[0].total == INT64_MAX);
  CHECK(all[1].total == INT64_MIN);
}

TEST_CASE("derivatives are finite differences") {
  CHECK(rc::check([] {
    PlainGraph plain = random_graph();
    const Graph graph = plain.build();
    const Edits edits = random_edits(graph, plain, 5);
    const Solution solution = solve(edits);
    const Derivatives derivatives(solution);
    const Slack slack(solution);
    const auto difference = [&](TimePs& time) {
      ++time;
      const TimePs longer = plain.solve().length;
      --time;
      return longer - solution.length();
    };
    const auto check = [&](TimePs& time, int derivative, TimePs room) {
      if (derivative == 1) RC_ASSERT(difference(time) == 1);
      else if (room > 0) RC_ASSERT(difference(time) == 0);
    };
    for (NodeId node = 0; node < plain.durations.size(); ++node) check(plain.durations[node], derivatives.node(node), slack.node(node));
    for (Slot slot = 0; slot < solution.slot_count(); ++slot) {
      PlainEdge& edge = plain.edges[edge_of(solution, slot)];
      if (!edge.removed) check(edge.weight, derivatives.edge(slot), slack.edge(slot));
      else RC_ASSERT(derivatives.edge(slot) == 0);
    }
  }));
}

TEST_CASE("the totals of all groups are the length, and adding to a group adds its count") {
  CHECK(rc::check([] {
    PlainGraph plain = random_graph();
    const Graph graph = plain.build();
    const Edits edits = random_edits(graph, plain, 5);
    const Solution solution = solve(edits);
    const auto group_of_node = [](NodeId node) { return node % 3; };
    const auto group_of_slot = [](Slot slot) { return slot % 4; };
    const auto groups = group_derivatives(solution, 4, group_of_node, group_of_slot);
    const Derivatives derivatives(solution);
    std::vector<std::uint64_t> counts(4);
    TimePs total = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) counts[group_of_node(node)] += derivatives.node(node);
    for (Slot slot = 0; slot < solution.slot_count(); ++slot) counts[group_of_slot(slot)] += derivatives.edge(slot);
    for (std::size_t group = 0; group < groups.size(); ++group) {
      total += groups[group].total;
      RC_ASSERT(groups[group].count == counts[group]);
    }
    RC_ASSERT(total == solution.length());
    // A path with the group's constant added is at least as long as the old path with it: the derivative is a lower bound.
    const auto grown = *rc::gen::inRange<std::uint32_t>(0, 4);
    Edits more = edits;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
      if (group_of_node(node) == grown) more.set_duration(node, solution.duration(node) + 1);
    }
    for (Slot slot = 0; slot < solution.slot_count(); ++slot) {
      if (group_of_slot(slot) == grown && solution.weight(slot) != kRemovedWeight) more.set_weight(slot, solution.weight(slot) + 1);
    }
    RC_ASSERT(solve(more).length() >= solution.length() + static_cast<TimePs>(groups[grown].count));
  }));
}
