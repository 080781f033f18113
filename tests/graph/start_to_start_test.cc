// Edges whose weight counts from the start of their source.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "bare_graph_file.h"
#include "graph/builder.h"
#include "graph/longest_path.h"
#include "graph/slack.h"
#include "graph/solve_many.h"
#include "plain_graph.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

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

Graph random_typed_graph() {
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
  CHECK(slack.edges()[graph.slot_of_edge(0)] == 0);
  CHECK(slack.edges()[graph.slot_of_edge(1)] == 5);
}

TEST_CASE("where no node takes time a start is a finish") {
  GraphBuilder builder(kStart);
  builder.add_nodes(2);
  builder.add_edge(0, 1, kStart, 8);
  Edits edits(*std::move(builder).build());
  CHECK(solve(edits).start(1) == 8);
  edits.set_duration(0, 20);  // and where one does because of edits, it is not
  CHECK(solve(edits).start(1) == 8);
  CHECK(solve(edits).length() == 20);
}

TEST_CASE("which type is start-to-start is saved and restored") {
  const Graph graph = small();
  SectionWriter writer(kGraphFormat, kGraphVersion);
  add_graph_sections(writer, graph);
  const auto restored = load_graph_from_bytes(writer.to_bytes());
  REQUIRE(restored.ok());
  CHECK(restored->start_to_start_type() == kStart);
  CHECK(finishes(solve(*restored)) == finishes(solve(graph)));

  SectionWriter none(kGraphFormat, kGraphVersion);
  const Graph empty;  // the writer looks at it when it writes
  add_graph_sections(none, empty);
  const std::vector<std::uint8_t> zero{0};
  none.add("gSTS", zero);
  CHECK(load_graph_from_bytes(none.to_bytes()).error().message == "section 'gSTS': type 0 cannot be start-to-start");
}

TEST_CASE("scenarios solved together are those solved alone, and slack of an edge is what it can grow by") {
  CHECK(rc::check([] {
    const Graph graph = random_typed_graph();
    std::vector<Edits> scenarios(3, Edits(graph));
    for (Edits& edits : scenarios)
      edits.set_duration(*rc::gen::inRange<NodeId>(0, graph.node_count()), *rc::gen::inRange<TimePs>(0, 50));
    const std::vector<Solution> together = solve_many(scenarios);
    for (std::size_t i = 0; i < scenarios.size(); ++i)
      RC_ASSERT(finishes(together[i]) == finishes(solve(scenarios[i])));

    if (graph.edge_count() == 0) return;
    const Column<TimePs> slacks = Slack(together[0]).edges();
    const auto slot = *rc::gen::inRange<Slot>(0, graph.edge_count());
    Edits grown = scenarios[0];
    grown.set_weight(slot, graph.weight(slot) + slacks[slot]);
    RC_ASSERT(solve(grown).length() == together[0].length());
    grown.set_weight(slot, graph.weight(slot) + slacks[slot] + 1);
    RC_ASSERT(solve(grown).length() == together[0].length() + 1);
  }));
}
