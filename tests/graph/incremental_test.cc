#include "graph/incremental.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <random>
#include <vector>

#include "plain_graph.h"
#include "random_edits.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

namespace {

/// Local sources as in a trace; weights with many ties.
PlainGraph trace_like(NodeId count, std::uint32_t seed, bool shuffled) {
  std::mt19937 random(seed);
  std::vector<NodeId> ids(count);
  for (NodeId i = 0; i < count; ++i) ids[i] = i;
  for (NodeId i = count; shuffled && i > 1; --i) std::swap(ids[i - 1], ids[random() % i]);
  PlainGraph plain;
  for (NodeId i = 0; i < count; ++i) plain.durations.push_back(random() % 4);
  for (NodeId i = 4; i < count; ++i) {
    plain.edges.push_back({ids[i - 4], ids[i], static_cast<TimePs>(random() % 5)});
    if (random() % 2 != 0) continue;
    const NodeId source = i - 1 - static_cast<NodeId>(random() % std::min<NodeId>(i, 200));
    plain.edges.push_back({ids[source], ids[i], static_cast<TimePs>(random() % 9) - 2});
  }
  return plain;
}

void check_same(const Solution& a, const Solution& b) {
  CHECK(a.finishes() == b.finishes());
  CHECK(a.end() == b.end());
  CHECK(a.path().slots == b.path().slots);
}

}  // namespace

TEST_CASE("without edits it is the plain solution") {
  const Graph graph = trace_like(500, 1, true).build();
  IncrementalSolver solver(graph);
  check_same(solver.solution(), solve(graph));
  check_same(solver.solve(Edits(graph)), solve(graph));
  CHECK(solver.work().evaluated == 0);
  IncrementalSolver nothing{Graph()};
  CHECK(nothing.solve(Edits(nothing.solution().graph())).end() == kNoNode);
}

TEST_CASE("a change that makes no difference stops where it is") {
  PlainGraph plain;
  plain.durations.assign(1000, 1);
  for (NodeId node = 1; node < 1000; ++node) plain.edges.push_back({node - 1, node, 1});
  plain.edges.push_back({0, 500, 1});
  const Graph graph = plain.build();
  IncrementalSolver solver(graph);
  Edits edits(graph);
  edits.set_weight(graph.slot_of_edge(999), 5);
  check_same(solver.solve(edits), solve(edits));
  CHECK(solver.work().evaluated == 1);
  CHECK(solver.work().swept == 0);
  edits.set_duration(998, 7);
  check_same(solver.solve(edits), solve(edits));
  CHECK(solver.work().evaluated == 2);  // 998 and 999; the edit from before is still in place
  CHECK(solver.solution().length() == 999 + 1000 + 6);
}

TEST_CASE("a change that spreads ends in a sweep") {
  PlainGraph plain;
  plain.durations.assign(10'000, 1);
  for (NodeId node = 1; node < 10'000; ++node) plain.edges.push_back({node - 1, node, 1});
  const Graph graph = plain.build();
  IncrementalSolver solver(graph);
  Edits edits(graph);
  edits.set_weight(10, 100);
  check_same(solver.solve(edits), solve(edits));
  CHECK(solver.work().swept > 0);
  check_same(solver.solve(Edits(graph)), solve(graph));
}

TEST_CASE("a solution that somebody kept does not change") {
  const Graph graph = trace_like(300, 2, false).build();
  IncrementalSolver solver(graph);
  const Solution kept = solver.solution();
  const std::vector<TimePs> before = kept.finishes();
  Edits edits(graph);
  for (Slot slot = 0; slot < 20; ++slot) edits.set_weight(slot, 1000);
  CHECK(solver.solve(edits).finishes() != before);
  CHECK(kept.finishes() == before);
  CHECK(kept.weight(0) == graph.weight(0));
}

TEST_CASE("one set of edits after another: always what a full solve says") {
  CHECK(rc::check([] {
    const PlainGraph plain = random_graph(16);
    const Graph graph = plain.build();
    const bool named = !plain.durations.empty() && *rc::gen::arbitrary<bool>();
    const NodeId end = named ? *rc::gen::inRange<NodeId>(0, static_cast<NodeId>(plain.durations.size())) : kNoNode;
    IncrementalSolver solver(graph, end);
    Edits previous(graph);
    for (int round = 0; round < 5; ++round) {
      PlainGraph edited = plain;
      Edits edits = random_edits(graph, edited, 4, round % 2 == 0);
      require_equal(solver.solve(edits), edited.solve(end));
      // On top of the edits before, so that most stay in place.
      if (plain.edges.empty()) continue;
      previous.set_weight(*rc::gen::inRange<Slot>(0, graph.edge_count()), *rc::gen::inRange<TimePs>(-3, 9));
      require_same(solver.solve(previous), solve(previous, end));
    }
  }));
}

TEST_CASE("the same on larger graphs, where blocks and sweeps come into play") {
  for (const bool shuffled : {false, true}) {
    const Graph graph = trace_like(20'000, 3, shuffled).build();
    IncrementalSolver solver(graph);
    std::mt19937 random(4);
    for (const std::size_t changes : {1, 3, 10, 1, 300, 2, 5000, 1, 30'000, 4, 1}) {
      CAPTURE(changes);
      Edits edits(graph);
      for (std::size_t i = 0; i < changes; ++i) {
        const Slot slot = static_cast<Slot>(random() % graph.edge_count());
        if (random() % 4 == 0) edits.remove_edge(slot);
        else edits.set_weight(slot, static_cast<TimePs>(random() % 12));
        const auto node = static_cast<NodeId>(random() % graph.node_count()), other = static_cast<NodeId>(random() % graph.node_count());
        if (random() % 3 == 0) edits.set_duration(node, static_cast<TimePs>(random() % 9));
        if (random() % 50 == 0) (void)edits.add_edge(node, other, 0, 3);
      }
      check_same(solver.solve(edits), solve(edits));
    }
  }
}
