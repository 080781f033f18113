#include "graph/slack.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "plain_graph.h"
#include "random_edits.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

TEST_CASE("slack is what a node or edge can grow by before the end does") {
  // 0 -> 1 -> 3 is the path (30); 0 -> 2 -> 3 takes 18.
  const Graph graph = PlainGraph{{10, 10, 1, 0}, {{0, 1, 5}, {0, 2, 4}, {1, 3, 5}, {2, 3, 3}}}.build();
  const Slack slack{solve(graph)};
  const Column<TimePs> edges = slack.edges();
  CHECK(slack.node(0) == 0);
  CHECK(slack.node(1) == 0);
  CHECK(slack.node(2) == 12);
  CHECK(slack.node(3) == 0);
  for (const Slot slot : graph.incoming(3)) CHECK(edges[slot] == (graph.source(slot) == 1 ? 0 : 12));
}

TEST_CASE("a node that leads nowhere has the slack up to the end of all") {
  const Slack slack{solve(PlainGraph{{10, 3}, {}}.build())};
  CHECK(slack.node(1) == 7);
}

TEST_CASE("with a named end, what does not lead there has no limit") {
  const Graph graph = PlainGraph{{10, 3, 2, 5}, {{0, 1, -4}, {1, 2, 0}, {0, 3, 0}}}.build();
  const Slack slack{solve(graph, 2)};
  CHECK(slack.node(3) == kUnlimited);
  CHECK(slack.edges()[graph.incoming(3)[0]] == kUnlimited);
  CHECK(slack.node(0) == 0);
}

TEST_CASE("an empty graph has no slack to ask for") { CHECK(Slack{solve(Graph())}.edges().empty()); }

TEST_CASE("saturated sums do not overflow") {
  PlainGraph plain;
  plain.durations.assign(50, kMaxWeightPs);
  for (NodeId node = 1; node < 50; ++node) plain.edges.push_back({node - 1, node, kMaxWeightPs});
  const Graph graph = plain.build();
  for (const NodeId end : {kNoNode, NodeId{49}}) {
    const Slack slack{solve(graph, end)};
    for (NodeId node = 0; node < 50; ++node) CHECK(slack.node(node) <= 0);
    CHECK(slack.edges().size() == 49);
  }
  for (PlainEdge& edge : plain.edges) edge.weight = -kMaxWeightPs;
  plain.durations.assign(50, -kMaxWeightPs);
  const Slack slack{solve(plain.build(), 49)};
  CHECK(slack.node(49) == 0);
  CHECK(slack.node(0) > 0);
  CHECK(slack.edges()[0] > 0);
}

TEST_CASE("growing by the slack keeps the length, growing by one more does not") {
  CHECK(rc::check([] {
    PlainGraph plain = random_graph();
    const Graph graph = plain.build();
    const Edits edits = random_edits(graph, plain, 6);
    const bool named = !plain.durations.empty() && *rc::gen::arbitrary<bool>();
    const NodeId end = named ? *rc::gen::inRange<NodeId>(0, static_cast<NodeId>(plain.durations.size())) : kNoNode;
    const Solution solution = solve(edits, end);
    const Slack slack{solution};
    const TimePs length = plain.solve(end).length;
    const auto length_with = [&](TimePs& time, TimePs more) {
      time += more;
      const TimePs result = plain.solve(end).length;
      time -= more;
      return result;
    };
    const auto check = [&](TimePs& time, TimePs room) {
      if (room == kUnlimited) {
        RC_ASSERT(length_with(time, 1'000'000) == length);
        return;
      }
      RC_ASSERT(room >= 0);
      RC_ASSERT(length_with(time, room) == length);
      RC_ASSERT(length_with(time, room + 1) == length + 1);
    };
    for (NodeId node = 0; node < plain.durations.size(); ++node) check(plain.durations[node], slack.node(node));
    const Column<TimePs> edge_slacks = slack.edges();
    RC_ASSERT(edge_slacks.size() == plain.edges.size());
    for (Slot slot = 0; slot < edge_slacks.size(); ++slot) {
      check(plain.edges[edge_of(graph, slot)].weight, edge_slacks[slot]);
    }
    for (const NodeId node : solution.path().nodes) RC_ASSERT(slack.node(node) == 0);
    for (const Slot slot : solution.path().slots) RC_ASSERT(edge_slacks[slot] == 0);
  }));
}

TEST_CASE("slack over a full copy of the weights is slack of the rebuilt graph") {
  PlainGraph plain;
  plain.durations.assign(5000, 2);
  for (NodeId node = 1; node < 5000; ++node) {
    plain.edges.push_back({node - 1, node, node % 5});
    if (node > 9) plain.edges.push_back({node - 9, node, node % 31});
  }
  const Graph graph = plain.build();
  Edits edits(graph);
  PlainGraph rebuilt{plain.durations, {}};
  for (Slot slot = 0; slot < graph.edge_count(); ++slot) {
    edits.set_weight(slot, graph.weight(slot) * 2);
    rebuilt.edges.push_back({graph.source(slot), graph.target(slot), graph.weight(slot) * 2});
  }
  const NodeId end = 4000;
  const Slack slack{solve(edits, end)}, expected{solve(rebuilt.build(), end)};
  for (NodeId node = 0; node < 5000; ++node) CHECK(slack.node(node) == expected.node(node));
}
