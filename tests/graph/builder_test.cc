#include "graph/builder.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "plain_graph.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

namespace {

std::vector<Slot> slots(SlotRange range) { return {range.begin(), range.end()}; }

std::string error_of(GraphBuilder builder) {
  const auto graph = std::move(builder).build();
  REQUIRE_FALSE(graph.ok());
  return graph.error().to_string();
}

}  // namespace

TEST_CASE("an empty graph has nothing in it") {
  const Graph graph = *GraphBuilder().build();
  CHECK(graph.node_count() == 0);
  CHECK(graph.edge_count() == 0);
  CHECK(graph.slot_of_edges().empty());
  CHECK(Graph().node_count() == 0);
}

TEST_CASE("nodes and edges come back with what they were given") {
  GraphBuilder builder;
  builder.reserve(3, 3);
  CHECK(builder.add_node(5) == 0);
  CHECK(builder.add_node(7, 2, 99) == 1);
  CHECK(builder.add_nodes(2) == 2);
  CHECK(builder.add_edge(0, 3, 1, 10) == 0);
  CHECK(builder.add_edge(0, 1, 2, -20, 42) == 1);
  CHECK(builder.add_edge(1, 3, 0, 30) == 2);
  CHECK(builder.node_count() == 4);
  CHECK(builder.edge_count() == 3);
  const Graph graph = *std::move(builder).build();

  CHECK(graph.node_count() == 4);
  CHECK(graph.edge_count() == 3);
  CHECK_FALSE(graph.renumbered());
  CHECK(graph.duration(0) == 5);
  CHECK(graph.duration(1) == 7);
  CHECK(graph.duration(3) == 0);
  CHECK(graph.kind(0) == 0);
  CHECK(graph.kind(1) == 2);
  CHECK(graph.kind(3) == 0);
  CHECK(graph.tag(0) == kNoTag);
  CHECK(graph.tag(1) == 99);
  CHECK(graph.tag(3) == kNoTag);

  REQUIRE(graph.incoming(3).size() == 2);
  CHECK(graph.incoming(0).empty());
  const Slot first = graph.incoming(3)[0], second = graph.incoming(3)[1], middle = graph.incoming(1)[0];
  CHECK(graph.edge_id(first) == 0);
  CHECK(graph.edge_id(second) == 2);
  CHECK(graph.edge_id(middle) == 1);
  CHECK(graph.source(middle) == 0);
  CHECK(graph.target(middle) == 1);
  CHECK(graph.weight(middle) == -20);
  CHECK(graph.type(middle) == 2);
  CHECK(graph.edge_tag(middle) == 42);
  CHECK(graph.edge_tag(first) == kNoTag);
  CHECK(graph.slot_of_edge(2) == second);
  REQUIRE(graph.outgoing(0).size() == 2);
  CHECK(graph.outgoing(0)[0].slot == middle);
  CHECK(graph.outgoing(0)[1].slot == first);
  CHECK(graph.node_at(graph.outgoing(0)[1].target_position) == 3);
  CHECK(graph.outgoing(3).empty());
}

TEST_CASE("incoming edges keep the order in which they were added, also parallel ones") {
  GraphBuilder builder;
  builder.add_nodes(4);
  for (const NodeId source : {2, 0, 1, 0, 2}) builder.add_edge(source, 3, 0, 1);
  const Graph graph = *std::move(builder).build();
  std::vector<NodeId> sources;
  for (const Slot slot : graph.incoming(3)) sources.push_back(graph.source(slot));
  CHECK(sources == std::vector<NodeId>{2, 0, 1, 0, 2});
}

TEST_CASE("ids against the direction of the edges are renumbered, and nobody sees it") {
  GraphBuilder builder;
  builder.add_edge(2, 1, 5, 10, 1);  // edges may come before their nodes
  builder.add_edge(1, 0, 6, 20, 2);
  builder.add_edge(2, 0, 7, 30, 3);
  builder.add_node(100, 1, 11);
  builder.add_node(200, 2, 12);
  builder.add_node(300, 3, 13);
  const Graph graph = *std::move(builder).build();
  CHECK(graph.renumbered());
  CHECK(graph.node_at(0) == 2);
  CHECK(graph.node_at(1) == 1);
  CHECK(graph.node_at(2) == 0);
  CHECK(graph.position(0) == 2);
  for (NodeId node = 0; node < 3; ++node) {
    CHECK(graph.duration(node) == 100 * (node + 1));
    CHECK(graph.kind(node) == node + 1);
    CHECK(graph.tag(node) == node + 11);
  }
  REQUIRE(graph.incoming(0).size() == 2);
  const Slot slot = graph.incoming(0)[0];
  CHECK(graph.edge_id(slot) == 1);
  CHECK(graph.source(slot) == 1);
  CHECK(graph.target(slot) == 0);
  CHECK(graph.type(slot) == 6);
  CHECK(graph.edge_tag(slot) == 2);
  CHECK(graph.weight(slot) == 20);
}

TEST_CASE("attributes that nobody set cost nothing") {
  GraphBuilder builder;
  const NodeId count = 1000;
  builder.add_nodes(count);
  for (NodeId node = 1; node < count; ++node) builder.add_edge(node - 1, node, 0, node);
  const Graph graph = *std::move(builder).build();
  CHECK(graph.memory_bytes() == 4 * (count + 1) + 12 * (count - 1));
  const std::size_t before = graph.memory_bytes();
  CHECK(graph.outgoing(0).size() == 1);
  CHECK(graph.memory_bytes() >= before + 4 * (count + 1) + 8 * (count - 1));
  CHECK(graph.durations().empty());
}

TEST_CASE("one attribute is enough for a whole column, filled with defaults on both sides") {
  GraphBuilder builder;
  builder.add_nodes(100);
  builder.add_node(0, 3);
  builder.add_nodes(100);
  const Graph graph = *std::move(builder).build();
  CHECK(graph.kind(99) == 0);
  CHECK(graph.kind(100) == 3);
  CHECK(graph.kind(200) == 0);
  CHECK(graph.durations().empty());
}

TEST_CASE("a cycle is an error that names it") {
  GraphBuilder builder;
  builder.add_nodes(6);
  builder.add_edge(0, 1, 0, 1);
  builder.add_edge(1, 4, 0, 1);
  builder.add_edge(4, 2, 0, 1);
  builder.add_edge(2, 1, 0, 1);
  builder.add_edge(2, 5, 0, 1);
  CHECK(error_of(std::move(builder)).find("the edges form a cycle: 1 -> 4 -> 2 -> 1") == 0);
}

TEST_CASE("a long cycle is named by its first nodes") {
  GraphBuilder builder;
  builder.add_nodes(100);
  for (NodeId node = 0; node < 100; ++node) builder.add_edge(node, (node + 1) % 100, 0, 1);
  CHECK(error_of(std::move(builder)).find("cycle: 0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> ... (100 nodes) -> 0") !=
        std::string::npos);
}

TEST_CASE("an edge to the same node is an error") {
  GraphBuilder builder;
  builder.add_nodes(2);
  builder.add_edge(0, 1, 0, 1);
  builder.add_edge(1, 1, 0, 1);
  CHECK(error_of(std::move(builder)).find("node 1 has an edge to itself") == 0);
}

TEST_CASE("an unknown node is an error") {
  GraphBuilder builder;
  builder.add_nodes(2);
  builder.add_edge(0, 1, 0, 1);
  builder.add_edge(0, 7, 0, 1);
  CHECK(error_of(std::move(builder)) == "edge 1 (0 -> 7) names a node that does not exist: there are 2");
}

TEST_CASE("times beyond the range of exact sums are an error") {
  GraphBuilder builder;
  builder.add_nodes(2);
  builder.add_edge(0, 1, 0, kMaxWeightPs);
  builder.add_edge(0, 1, 0, kMaxWeightPs + 1);
  CHECK(error_of(std::move(builder)).find("edge 1 has a weight of 2305843009213693952 ps") == 0);
  GraphBuilder nodes;
  nodes.add_node(-kMaxWeightPs);
  nodes.add_node(INT64_MIN);
  CHECK(error_of(std::move(nodes)).find("node 1 has a duration of -9223372036854775808 ps") == 0);
}

TEST_CASE("every edge of a random graph is found again, and goes forwards") {
  CHECK(rc::check([] {
    const PlainGraph plain = random_graph(20);
    const Graph graph = plain.build();
    RC_ASSERT(graph.node_count() == plain.durations.size());
    RC_ASSERT(graph.edge_count() == plain.edges.size());
    std::vector<EdgeId> seen;
    std::size_t outgoing = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
      RC_ASSERT(graph.duration(node) == plain.durations[node]);
      RC_ASSERT(graph.node_at(graph.position(node)) == node);
      const std::vector<Slot> incoming = slots(graph.incoming(node));
      RC_ASSERT(std::is_sorted(incoming.begin(), incoming.end(),
                               [&](Slot a, Slot b) { return graph.edge_id(a) < graph.edge_id(b); }));
      for (const Slot slot : incoming) {
        const EdgeId id = graph.edge_id(slot);
        seen.push_back(id);
        RC_ASSERT(graph.slot_of_edge(id) == slot);
        RC_ASSERT(graph.slot_of_edges()[id] == slot);
        RC_ASSERT(graph.source(slot) == plain.edges[id].from);
        RC_ASSERT(graph.target(slot) == node);
        RC_ASSERT(plain.edges[id].to == node);
        RC_ASSERT(graph.weight(slot) == plain.edges[id].weight);
        RC_ASSERT(graph.type(slot) == (plain.edges[id].weight & 3));
        RC_ASSERT(graph.position(graph.source(slot)) < graph.position(node));
      }
      for (const OutgoingEdge& edge : graph.outgoing(node)) {
        RC_ASSERT(graph.source(edge.slot) == node);
        RC_ASSERT(graph.target_position(edge.slot) == edge.target_position);
        ++outgoing;
      }
    }
    RC_ASSERT(outgoing == graph.edge_count());
    std::sort(seen.begin(), seen.end());
    RC_ASSERT(std::unique(seen.begin(), seen.end()) == seen.end());
    RC_ASSERT(seen.size() == graph.edge_count());
  }));
}

TEST_CASE("random edges build exactly when they have no cycle") {
  CHECK(rc::check([] {
    const auto count = *rc::gen::inRange<NodeId>(1, 7);
    PlainGraph plain;
    plain.durations.assign(count, 0);
    const auto edges = *rc::gen::inRange<int>(0, 10);
    for (int e = 0; e < edges; ++e)
      plain.edges.push_back({*rc::gen::inRange<NodeId>(0, count), *rc::gen::inRange<NodeId>(0, count), 1});
    bool cyclic = false;
    for (const PlainEdge& edge : plain.edges) cyclic |= plain.reaches(edge.to, edge.from);
    GraphBuilder builder;
    builder.add_nodes(count);
    for (const PlainEdge& edge : plain.edges) builder.add_edge(edge.from, edge.to, 0, edge.weight);
    RC_ASSERT(std::move(builder).build().ok() == !cyclic);
  }));
}
