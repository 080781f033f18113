// Edits made part of a graph.
#include "graph/edits.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "plain_graph.h"
#include "random_edits.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

TEST_CASE("a graph with edits made part of it is what the edits make of it, slot by slot") {
  CHECK(rc::check([] {
    PlainGraph plain = random_graph();
    const Graph graph = plain.build();
    const Edits edits = random_edits(graph, plain);
    const Graph edited = with_edits(edits);
    require_equal(solve(edited), plain.solve());
    require_same(solve(edited), solve(edits));
    RC_ASSERT(edited.edge_count() == graph.edge_count());
    for (Slot slot = 0; slot < graph.edge_count(); ++slot) {
      RC_ASSERT(edited.edge_id(slot) == graph.edge_id(slot));
      RC_ASSERT(edited.type(slot) == graph.type(slot));
      RC_ASSERT(edited.weight(slot) == plain.edges[graph.edge_id(slot)].weight);
    }
  }));
}

TEST_CASE("many changes are a copy of all weights, and still all there") {
  GraphBuilder builder;
  constexpr NodeId kNodes = 5000;
  builder.add_nodes(kNodes);
  for (NodeId i = 0; i + 1 < kNodes; ++i) builder.add_edge(i, i + 1, 1, 1);
  const Graph graph = *std::move(builder).build();
  Edits edits(graph);
  for (Slot slot = 0; slot < graph.edge_count(); ++slot) edits.set_weight(slot, 3);
  CHECK(solve(with_edits(edits)).length() == 3 * TimePs{kNodes - 1});
  CHECK(solve(graph).length() == TimePs{kNodes - 1});
}
