#include "graph/topological.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "plain_graph.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

namespace {

std::vector<NodeId> list(const Column<NodeId>& column) { return {column.begin(), column.end()}; }

}  // namespace

TEST_CASE("nodes are listed as networkx.topological_sort lists them") {
  // G.add_nodes_from(range(6)); G.add_edges_from([(5, 1), (0, 4), (0, 3), (5, 0), (3, 1), (4, 2)]);
  // list(nx.topological_sort(G))
  const std::vector<NodeId> from{5, 0, 0, 5, 3, 4}, to{1, 4, 3, 0, 1, 2};
  CHECK(list(kahn_order(6, from, to)) == std::vector<NodeId>{5, 0, 4, 3, 2, 1});
}

TEST_CASE("what cannot be ordered has a cycle") {
  CHECK(rc::check([] {
    const auto count = *rc::gen::inRange<NodeId>(1, 8);
    const auto edges = *rc::gen::inRange<std::size_t>(0, 12);
    std::vector<NodeId> from, to;
    for (std::size_t e = 0; e < edges; ++e) {
      from.push_back(*rc::gen::inRange<NodeId>(0, count));
      to.push_back(*rc::gen::inRange<NodeId>(0, count));
    }
    const Column<NodeId> order = kahn_order(count, from, to);
    const std::vector<NodeId> cycle = find_cycle(count, from, to, order);
    RC_ASSERT(cycle.empty() == (order.size() == count));
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      bool connected = false;
      for (std::size_t e = 0; e < edges; ++e)
        connected |= from[e] == cycle[i] && to[e] == cycle[(i + 1) % cycle.size()];
      RC_ASSERT(connected);
    }
  }));
}
