#include "graph/longest_path.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <functional>
#include <vector>

#include "plain_graph.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

namespace {

Graph graph_of(std::vector<TimePs> durations, std::vector<PlainEdge> edges) {
  return PlainGraph{std::move(durations), std::move(edges)}.build();
}

}  // namespace

TEST_CASE("a graph without nodes has no path") {
  const Solution solution = solve(Graph());
  CHECK(solution.end() == kNoNode);
  CHECK(solution.length() == 0);
  CHECK(solution.path().nodes.empty());
}

TEST_CASE("weights and durations add up along the path") {
  const Solution solution = solve(graph_of({10, 20, 30}, {{0, 1, 3}, {1, 2, 4}, {0, 2, 5}}));
  CHECK(solution.length() == 67);
  CHECK(solution.end() == 2);
  CHECK(solution.path().nodes == std::vector<NodeId>{0, 1, 2});
  CHECK(solution.path().slots == std::vector<Slot>{0, 1});
  CHECK(solution.start(2) == 37);
  CHECK(solution.finish(1) == 33);
}

TEST_CASE("among equal candidates the edge added first is chosen") {
  const Graph graph = graph_of({0, 0, 0}, {{1, 2, 5}, {0, 2, 5}, {1, 2, 5}});
  CHECK(graph.source(solve(graph).chosen(2)) == 1);
  CHECK(graph.edge_id(solve(graph).chosen(2)) == 0);
}

TEST_CASE("a larger candidate wins over an earlier one") {
  const Graph graph = graph_of({0, 0, 0}, {{1, 2, 5}, {0, 2, 6}});
  CHECK(graph.source(solve(graph).chosen(2)) == 0);
}

TEST_CASE("a node whose best candidate is negative begins a new path at 0") {
  const Solution solution = solve(graph_of({0, 0, 0}, {{0, 1, -1}, {1, 2, 4}}));
  CHECK(solution.finish(1) == 0);
  CHECK(solution.chosen(1) == kNoSlot);
  CHECK(solution.path().nodes == std::vector<NodeId>{1, 2});
}

TEST_CASE("a candidate of exactly 0 is taken") {
  const Graph graph = graph_of({0, 0, 0}, {{0, 1, 0}, {1, 2, 4}});
  CHECK(solve(graph).chosen(1) != kNoSlot);
  CHECK(solve(graph).path().nodes == std::vector<NodeId>{0, 1, 2});
}

TEST_CASE("the end is the smallest id among the largest finishes") {
  CHECK(solve(graph_of({1, 7, 7, 3}, {})).end() == 1);
  // Renumbered to 3, 1, 0, 2 or the like: ids decide, not positions.
  CHECK(solve(graph_of({7, 1, 7, 1}, {{3, 0, -1}, {1, 2, -1}})).end() == 0);
  CHECK(solve(graph_of({7, 0, 7, 0}, {{2, 1, -7}, {3, 0, -7}})).end() == 0);
}

TEST_CASE("the caller may name the end") {
  const Solution solution = solve(graph_of({1, 7, 3}, {{0, 2, 1}}), 2);
  CHECK(solution.end() == 2);
  CHECK(solution.end_named());
  CHECK(solution.length() == 5);
  CHECK(solution.path().nodes == std::vector<NodeId>{0, 2});
}

TEST_CASE("durations may be negative") {
  const Solution solution = solve(graph_of({-5, -5}, {{0, 1, 3}}));
  CHECK(solution.finish(0) == -5);
  CHECK(solution.finish(1) == -5);
  CHECK(solution.length() == -5);
  CHECK(solution.end() == 0);
}

TEST_CASE("sums beyond the range stay at the limit") {
  PlainGraph plain;
  plain.durations.assign(100, kMaxWeightPs);
  for (NodeId node = 1; node < 100; ++node) plain.edges.push_back({node - 1, node, kMaxWeightPs});
  const Solution solution = solve(plain.build());
  CHECK(solution.finish(0) == kMaxWeightPs);
  CHECK(solution.finish(1) == kMaxFinishPs);
  CHECK(solution.length() == kMaxFinishPs);
  CHECK(solution.length() == kMaxFinishPs);
  CHECK(solution.path().nodes.size() == 2);
  plain.durations.assign(100, -kMaxWeightPs);
  for (PlainEdge& edge : plain.edges) edge.weight = -kMaxWeightPs;
  CHECK(solve(plain.build()).length() == -kMaxWeightPs);
}

TEST_CASE("a long chain is no problem, and its end is found in the last block") {
  PlainGraph plain;
  const NodeId count = 100'000;
  plain.durations.assign(count, 1);
  for (NodeId node = 1; node < count; ++node) plain.edges.push_back({node - 1, node, 1});
  const Solution solution = solve(plain.build());
  CHECK(solution.length() == 2 * count - 1);
  CHECK(solution.end() == count - 1);
  CHECK(solution.path().nodes.size() == count);
}

TEST_CASE("every rule holds on random graphs") {
  CHECK(rc::check([] {
    const PlainGraph plain = random_graph();
    require_equal(solve(plain.build()), plain.solve());
  }));
}

TEST_CASE("every rule holds with a named end") {
  CHECK(rc::check([] {
    const PlainGraph plain = random_graph();
    RC_PRE(!plain.durations.empty());
    const auto end = *rc::gen::inRange<NodeId>(0, static_cast<NodeId>(plain.durations.size()));
    require_equal(solve(plain.build(), end), plain.solve(end));
  }));
}

TEST_CASE("no way through the graph is longer than the longest path") {
  CHECK(rc::check([] {
    const PlainGraph plain = random_graph(7);
    RC_PRE(!plain.durations.empty() && plain.edges.size() < 14);
    TimePs longest = INT64_MIN;
    const std::function<void(NodeId, TimePs)> walk = [&](NodeId node, TimePs before) {
      const TimePs finish = before + plain.durations[node];
      longest = std::max(longest, finish);
      for (const PlainEdge& edge : plain.edges) {
        if (edge.from == node) walk(edge.to, finish + edge.weight);
      }
    };
    for (NodeId node = 0; node < plain.durations.size(); ++node) walk(node, 0);
    RC_ASSERT(solve(plain.build()).length() == longest);
  }));
}
