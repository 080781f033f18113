#include "graph/edits.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "graph/longest_path.h"
#include "graph/overlay.h"
#include "graph/sweep.h"
#include "plain_graph.h"
#include "random_edits.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

namespace {

/// 0 -> 1 -> 2 -> ... with weight 10, and all durations 1.
PlainGraph chain(NodeId count) {
  PlainGraph plain;
  plain.durations.assign(count, 1);
  for (NodeId node = 1; node < count; ++node) plain.edges.push_back({node - 1, node, 10});
  return plain;
}

}  // namespace

TEST_CASE("edits change the solution and leave the graph alone") {
  const Graph graph = chain(4).build();
  Edits edits(graph);
  CHECK(edits.empty());
  edits.set_weight(1, 100);
  edits.scale_weight(2, 0.5);
  edits.set_duration(3, 7);
  edits.scale_duration(0, 5);
  CHECK_FALSE(edits.empty());
  const Solution solution = solve(edits);
  CHECK(solution.length() == 5 + 10 + 1 + 100 + 1 + 5 + 7);
  CHECK(solution.weight(1) == 100);
  CHECK(solution.weight(0) == 10);
  CHECK(solution.duration(3) == 7);
  CHECK(solution.duration(2) == 1);
  CHECK(solve(graph).length() == 34);
  CHECK(graph.weight(1) == 10);
}

TEST_CASE("a removed edge no longer constrains, even where its candidate would have been chosen") {
  const Graph graph = chain(3).build();
  Edits edits(graph);
  edits.remove_edge(1);
  const Solution solution = solve(edits);
  CHECK(solution.finish(2) == 1);
  CHECK(solution.chosen(2) == kNoSlot);
  CHECK(solution.weight(1) == kRemovedWeight);
  CHECK(solution.end() == 1);
}

TEST_CASE("an added edge comes last among its target's edges") {
  const Graph graph = chain(3).build();
  Edits edits(graph);
  const auto slot = edits.add_edge(0, 2, 5, 21, 99);
  REQUIRE(slot.ok());
  CHECK(*slot == graph.edge_count());
  Solution solution = solve(edits);
  CHECK(solution.finish(2) == 23);
  CHECK(solution.chosen(2) == 1);  // 12 + 10, as long as 1 + 21 and added before
  edits.set_weight(*slot, 22);
  solution = solve(edits);
  CHECK(solution.length() == 24);
  CHECK(solution.chosen(2) == *slot);
  CHECK(solution.source(*slot) == 0);
  CHECK(solution.target(*slot) == 2);
  CHECK(solution.type(*slot) == 5);
  CHECK(solution.edge_tag(*slot) == 99);
  CHECK(solution.weight(*slot) == 22);
  CHECK(solution.slot_count() == 3);
  CHECK(solution.path().nodes == std::vector<NodeId>{0, 2});
  edits.scale_weight(*slot, 2);
  CHECK(solve(edits).length() == 46);
  edits.remove_edge(*slot);
  CHECK(solve(edits).length() == 23);
  CHECK(solve(graph).slot_count() == 2);
}

TEST_CASE("an edge that would close a cycle is refused and changes nothing") {
  const Graph graph = chain(4).build();
  Edits edits(graph);
  const auto refused = edits.add_edge(3, 1, 0, 5);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message == "the edge 3 -> 1 would close a cycle");
  CHECK_FALSE(edits.add_edge(2, 2, 0, 5).ok());
  CHECK_FALSE(edits.add_edge(0, 9, 0, 5).ok());
  CHECK(edits.empty());
  CHECK(solve(edits).length() == 34);
}

TEST_CASE("two nodes can swap places") {
  const Graph graph = chain(4).build();
  Edits edits(graph);
  edits.remove_edge(1);  // 1 -> 2
  const auto back = edits.add_edge(2, 1, 0, 50);
  REQUIRE(back.ok());
  CHECK_FALSE(edits.windows().empty());
  const Solution solution = solve(edits);
  CHECK(solution.finish(2) == 1);
  CHECK(solution.finish(1) == 52);
  CHECK(solution.path().nodes == std::vector<NodeId>{2, 1});
  CHECK_FALSE(edits.add_edge(1, 2, 0, 1).ok());
}

TEST_CASE("an edge along the order is refused where added ones have turned the order round") {
  const Graph graph = *[] {
    GraphBuilder builder;
    builder.add_nodes(5);
    return std::move(builder).build();
  }();
  Edits edits(graph);
  REQUIRE(edits.add_edge(4, 0, 0, 1).ok());
  REQUIRE(edits.add_edge(2, 3, 0, 1).ok());
  REQUIRE(edits.add_edge(3, 4, 0, 1).ok());
  CHECK_FALSE(edits.add_edge(0, 2, 0, 1).ok());
  CHECK(edits.add_edge(0, 1, 0, 1).ok());
  CHECK(solve(edits).path().nodes == std::vector<NodeId>{2, 3, 4, 0, 1});
}

TEST_CASE("copies of edits go their own ways") {
  const Graph graph = chain(3).build();
  Edits first(graph);
  first.set_weight(0, 20);
  Edits second = first;
  second.set_weight(1, 20);
  CHECK(solve(first).length() == 33);
  CHECK(solve(second).length() == 43);
}

TEST_CASE("edits are what a graph built with them would be") {
  CHECK(rc::check([] {
    PlainGraph plain = random_graph();
    const Graph graph = plain.build();
    const Edits edits = random_edits(graph, plain, 12);
    require_equal(solve(edits), plain.solve());
  }));
}

TEST_CASE("edits to everything are what a graph built with them would be") {
  PlainGraph plain = chain(6000);
  for (NodeId node = 10; node < 6000; node += 3) plain.edges.push_back({node - 7, node, node % 90});
  const Graph graph = plain.build();
  Edits edits(graph);
  for (std::size_t e = 0; e < plain.edges.size(); ++e) {
    PlainEdge& edge = plain.edges[e];
    if (e % 5 == 0) {
      edits.remove_edge(graph.slot_of_edge(static_cast<EdgeId>(e)));
      edge.removed = true;
    } else {
      edits.scale_weight(graph.slot_of_edge(static_cast<EdgeId>(e)), 3);
      edge.weight *= 3;
    }
  }
  for (NodeId node = 0; node < 6000; ++node) edits.set_duration(node, plain.durations[node] = node % 7);
  REQUIRE(edits.weights().fold().dense != nullptr);
  REQUIRE(edits.durations().fold().dense != nullptr);
  for (PlainEdge& edge : plain.edges) edge.weight = edge.removed ? kRemovedWeight : edge.weight;
  const Solution solution = solve(edits);
  PlainGraph rebuilt = plain;
  std::erase_if(rebuilt.edges, [](const PlainEdge& edge) { return edge.removed; });
  const Solution expected = solve(rebuilt.build());
  CHECK(solution.finishes() == expected.finishes());
  CHECK(solution.path().nodes == expected.path().nodes);
  CHECK(solution.weight(graph.slot_of_edge(5)) == kRemovedWeight);
  CHECK(solution.weight(graph.slot_of_edge(6)) == 30);
  CHECK(solution.duration(6) == 6);
}

TEST_CASE("a removed edge whose source now comes after its target is not looked at") {
  const Graph graph = chain(5000).build();
  for (const bool many : {false, true}) {
    Edits edits(graph);
    for (Slot slot = 2000; slot < 4500 && many; ++slot) edits.set_weight(slot, 10);  // a full copy of the weights
    edits.remove_edge(1);
    REQUIRE(edits.add_edge(2, 1, 0, 50).ok());
    for (const TimePs rubbish : {INT64_MAX, INT64_MIN}) {
      std::vector<TimePs> finish(5000, rubbish);  // as new memory may be
      const auto overlay = Overlay::compile(edits);
      sweep_forward(SweepView(graph, overlay.get()), 0, finish.data());
      CHECK(finish[2] == 1);
      CHECK(finish[1] == 52);
      CHECK(finish == solve(edits).finishes());
    }
  }
}
