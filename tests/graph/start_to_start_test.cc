// Edges whose weight counts from the start of their source.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "graph/builder.h"
#include "graph/longest_path.h"
#include "graph/slack.h"
#include "graph/solve_many.h"

using namespace orrery;
using namespace orrery::graph;

namespace {

constexpr std::uint8_t kStart = 2;

/// 0 takes 10 and lets 1 start 3 after its own start; 2 waits for the end of both.
Graph small() {
  GraphBuilder builder(kStart);
  builder.add_node(10);
  builder.add_node(4);
  builder.add_node(1);
  builder.add_edge(0, 1, kStart, 3);
  builder.add_edge(0, 2, 0, 0);
  builder.add_edge(1, 2, 0, 0);
  return *std::move(builder).build();
}

Graph random_graph() {
  GraphBuilder builder(kStart);
  const auto count = *rc::gen::inRange<NodeId>(2, 20);
  for (NodeId node = 0; node < count; ++node) builder.add_node(*rc::gen::inRange<TimePs>(0, 50));
  for (NodeId to = 1; to < count; ++to) {
    for (NodeId from = 0; from < to; ++from) {
      if (*rc::gen::inRange(0, 4) == 0)
        builder.add_edge(from, to, *rc::gen::element<std::uint8_t>(0, 1, kStart), *rc::gen::inRange<TimePs>(-20, 20));
    }
  }
  return *std::move(builder).build();
}

}  // namespace

TEST_CASE("a start-to-start edge counts from the start of its source, also after its duration was edited") {
  const Graph graph = small();
  CHECK(graph.is_start_to_start(graph.slot_of_edge(0)));
  CHECK_FALSE(graph.is_start_to_start(graph.slot_of_edge(1)));
  CHECK(solve(graph).start(1) == 3);
  CHECK(solve(graph).length() == 11);
  Edits edits(graph);
  edits.set_duration(0, 1);
  CHECK(solve(edits).start(1) == 3);
  CHECK(solve(edits).length() == 8);
  CHECK(solve(edits).path().nodes == std::vector<NodeId>{0, 1, 2});
  edits.set_weight(graph.slot_of_edge(0), 20);
  CHECK(solve(edits).length() == 25);
}

TEST_CASE("what waits for a start only does not limit how much its source may grow") {
  const Graph graph = small();
  Edits edits(graph);
  edits.set_duration(0, 2);
  const Slack slack(solve(edits));  // 1 is on the path from 3 to 7: 0 may end at 7
  CHECK(slack.node(0) == 5);
  CHECK(slack.edge(graph.slot_of_edge(0)) == 0);
  CHECK(slack.edges()[graph.slot_of_edge(0)] == 0);
  CHECK(slack.edge(graph.slot_of_edge(1)) == 5);
}

TEST_CASE("an added edge of the type is start-to-start, and a removed one is none") {
  GraphBuilder builder(kStart);
  for (const TimePs duration : {10, 4}) builder.add_node(duration);
  Edits edits(*std::move(builder).build());
  const auto slot = edits.add_edge(0, 1, kStart, 8);
  REQUIRE(slot.ok());
  CHECK(solve(edits).start(1) == 8);
  CHECK(Slack(solve(edits)).node(0) == 2);
  edits.set_duration(0, 0);
  CHECK(solve(edits).length() == 12);
  edits.remove_edge(*slot);
  CHECK(solve(edits).length() == 4);
}

TEST_CASE("scenarios solved together are those solved alone, and slack of an edge is what it can grow by") {
  CHECK(rc::check([] {
    const Graph graph = random_graph();
    std::vector<Edits> scenarios(3, Edits(graph));
    for (Edits& edits : scenarios) edits.set_duration(*rc::gen::inRange<NodeId>(0, graph.node_count()), *rc::gen::inRange<TimePs>(0, 50));
    const std::vector<Solution> together = solve_many(scenarios);
    for (std::size_t i = 0; i < scenarios.size(); ++i) RC_ASSERT(together[i].finishes() == solve(scenarios[i]).finishes());

    if (graph.edge_count() == 0) return;
    const Slack slack(together[0]);
    const auto slot = *rc::gen::inRange<Slot>(0, graph.edge_count());
    Edits grown = scenarios[0];
    grown.set_weight(slot, graph.weight(slot) + slack.edge(slot));
    RC_ASSERT(solve(grown).length() == together[0].length());
    grown.set_weight(slot, graph.weight(slot) + slack.edge(slot) + 1);
    RC_ASSERT(solve(grown).length() == together[0].length() + 1);
  }));
}
