#include "graph/assemble.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "graph/builder.h"
#include "plain_graph.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

namespace {

std::uint32_t tag_of(const PlainEdge& edge) {
  return edge.weight < 0 ? kNoTag : static_cast<std::uint32_t>(edge.weight / 2);
}
std::uint8_t type_of(const PlainEdge& edge) { return static_cast<std::uint8_t>(edge.weight & 3); }

Result<Graph> assembled(std::size_t nodes, const std::vector<PlainEdge>& edges) {
  return assemble(nodes, [&](auto&& add) {
    for (const PlainEdge& edge : edges) add(edge.from, edge.to, type_of(edge), edge.weight, tag_of(edge));
  });
}

Result<Graph> built(std::size_t nodes, const std::vector<PlainEdge>& edges) {
  GraphBuilder builder;
  builder.add_nodes(nodes);
  for (const PlainEdge& edge : edges) builder.add_edge(edge.from, edge.to, type_of(edge), edge.weight, tag_of(edge));
  return std::move(builder).build();
}

bool same(auto&& a, auto&& b) { return std::ranges::equal(a, b); }

}  // namespace

TEST_CASE("an assembled graph is the built one, slot by slot") {
  CHECK(rc::check([] {
    const PlainGraph plain = random_graph(20);
    const Graph there = *assembled(plain.durations.size(), plain.edges),
                expected = *built(plain.durations.size(), plain.edges);
    RC_ASSERT(same(there.rows(), expected.rows()));
    RC_ASSERT(same(there.source_positions(), expected.source_positions()));
    RC_ASSERT(same(there.weights(), expected.weights()));
    RC_ASSERT(same(there.columns().nodes, expected.columns().nodes));
    RC_ASSERT(same(there.columns().positions, expected.columns().positions));
    RC_ASSERT(same(there.columns().types.values(), expected.columns().types.values()));
    RC_ASSERT(same(there.columns().edge_tags.values(), expected.columns().edge_tags.values()));
  }));
}

TEST_CASE("edges are numbered by their slots") {
  const Graph graph = *assembled(3, {{2, 1, 5}, {1, 0, 6}, {2, 0, 7}});
  for (Slot slot = 0; slot < graph.edge_count(); ++slot)
    CHECK((graph.edge_id(slot) == slot && graph.slot_of_edge(slot) == slot));
}

TEST_CASE("what cannot be assembled is refused as a builder refuses it") {
  const std::vector<std::vector<PlainEdge>> refused = {
      {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}, {{1, 1, 0}}, {{0, 1, 1}, {1, 2, kMaxWeightPs + 1}, {0, 2, -kMaxWeightPs - 1}}};
  for (const std::vector<PlainEdge>& edges : refused) {
    const Result<Graph> there = assembled(3, edges), expected = built(3, edges);
    REQUIRE((!there && !expected));
    CHECK(there.error().to_string() == expected.error().to_string());
  }
  CHECK(assembled(kNoNode, {}).error().message == "the graph has more than 2^32 - 2 nodes or edges");
}

TEST_CASE("a graph of nothing, and of nodes alone") {
  CHECK(assembled(0, {})->node_count() == 0);
  CHECK(assembled(4, {})->node_count() == 4);
}
