#include "graph/edits.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "graph/longest_path.h"
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
  edits.set_weight(2, 8);
  edits.set_weight(2, 5);  // the last one counts
  edits.set_duration(3, 7);
  edits.set_duration(0, 5);
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
    plain.edges[e].weight *= 3;
    edits.set_weight(graph.slot_of_edge(static_cast<EdgeId>(e)), plain.edges[e].weight);
  }
  for (NodeId node = 0; node < 6000; ++node) edits.set_duration(node, plain.durations[node] = node % 7);
  REQUIRE(edits.weights().fold().dense != nullptr);
  REQUIRE(edits.durations().fold().dense != nullptr);
  const Solution solution = solve(edits);
  const Solution expected = solve(plain.build());
  CHECK(finishes(solution) == finishes(expected));
  CHECK(solution.path().nodes == expected.path().nodes);
  CHECK(solution.weight(graph.slot_of_edge(6)) == 30);
  CHECK(solution.duration(6) == 6);
}
