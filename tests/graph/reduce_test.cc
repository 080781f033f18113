#include "graph/reduce.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "graph/edits.h"
#include "plain_graph.h"

using namespace orrery;
using namespace orrery::graph;
using namespace orrery::graph::testing;

namespace {

/// A graph, what of it is outside, and what its surroundings do: hold outside moments back until some time, and let
/// variable edges take some.
struct World {
  PlainGraph plain;
  std::vector<NodeId> outside;          // by id
  std::vector<std::size_t> variable;    // edges
  std::vector<TimePs> held_until;       // per outside moment
  std::vector<TimePs> variable_weight;  // per variable edge
};

World random_world(bool with_negative) {
  World world;
  world.plain = random_graph(16);
  std::fill(world.plain.durations.begin(), world.plain.durations.end(), 0);
  for (PlainEdge& edge : world.plain.edges)
    edge.weight = with_negative ? edge.weight : std::max<TimePs>(edge.weight, 0);
  const int share = *rc::gen::inRange(2, 8);
  std::vector<bool> is_outside(world.plain.durations.size());
  for (NodeId node = 0; node < is_outside.size(); ++node) {
    is_outside[node] = *rc::gen::inRange(0, share) == 0;
    if (is_outside[node]) world.outside.push_back(node);
  }
  for (std::size_t e = 0; e < world.plain.edges.size(); ++e) {
    const PlainEdge& edge = world.plain.edges[e];
    if (is_outside[edge.from] && is_outside[edge.to] && *rc::gen::inRange(0, 2) == 0) world.variable.push_back(e);
  }
  return world;
}

void choose_surroundings(World& world) {
  world.held_until.clear();
  world.variable_weight.clear();
  for (std::size_t i = 0; i < world.outside.size(); ++i) world.held_until.push_back(*rc::gen::inRange<TimePs>(-10, 15));
  for (std::size_t i = 0; i < world.variable.size(); ++i)
    world.variable_weight.push_back(*rc::gen::inRange<TimePs>(0, 9));
}

struct Small {
  Graph graph;  // of the world, without surroundings
  Reduction reduction;
};

Small reduce(const World& world) {
  Small small;
  small.graph = world.plain.build();
  std::vector<std::uint8_t> moments(small.graph.node_count(), 0);
  for (const NodeId node : world.outside) moments[small.graph.position(node)] = 1;
  std::vector<Slot> variable;
  for (const std::size_t e : world.variable) variable.push_back(small.graph.slot_of_edge(static_cast<EdgeId>(e)));
  std::sort(variable.begin(), variable.end());
  const Outside outside{moments, variable};
  const Column<std::uint8_t> needed = needed_edges(small.graph, outside);
  small.reduction = contract_chains(small.graph, outside, needed);
  return small;
}

/// Edges are numbered as in `edges`; those from the surroundings come last.
Graph with_surroundings(std::size_t nodes, std::span<const PlainEdge> edges, std::span<const NodeId> outside,
                        const World& world) {
  GraphBuilder builder;
  builder.add_nodes(nodes + 1);
  for (const PlainEdge& edge : edges) builder.add_edge(edge.from, edge.to, 0, edge.weight);
  for (std::size_t i = 0; i < outside.size(); ++i)
    builder.add_edge(static_cast<NodeId>(nodes), outside[i], 0, world.held_until[i]);
  return *std::move(builder).build();
}

/// The path to a node as edges of the world; kNoEdge for one of the surroundings.
template <typename EdgesOf>
std::vector<std::size_t> path_to(const Solution& solution, NodeId node, const EdgesOf& edges_of) {
  std::vector<std::size_t> path;
  for (Slot slot = solution.chosen(node); slot != kNoSlot; slot = solution.chosen(solution.graph().source(slot))) {
    std::vector<std::size_t> piece = edges_of(solution.graph().edge_id(slot));
    path.insert(path.begin(), piece.begin(), piece.end());
  }
  return path;
}

void require_same_paths(const World& world, const Small& small) {
  const Reduction& reduction = small.reduction;
  std::vector<PlainEdge> full = world.plain.edges;
  std::vector<PlainEdge> few;
  for (const Reduction::Edge& edge : reduction.edges) few.push_back({edge.from, edge.to, edge.weight});
  for (std::size_t i = 0; i < world.variable.size(); ++i) {
    full[world.variable[i]].weight = world.variable_weight[i];
    const Slot slot = small.graph.slot_of_edge(static_cast<EdgeId>(world.variable[i]));
    for (std::size_t e = 0; e < few.size(); ++e) {
      if (reduction.slots_of(e).front() != slot) continue;
      RC_ASSERT(reduction.slots_of(e).size() == 1u);
      few[e].weight = world.variable_weight[i];
    }
  }
  std::vector<NodeId> outside_of_few;
  for (const NodeId node : world.outside) {
    const auto at = std::find(reduction.nodes.begin(), reduction.nodes.end(), small.graph.position(node));
    RC_ASSERT(at != reduction.nodes.end());
    outside_of_few.push_back(static_cast<NodeId>(at - reduction.nodes.begin()));
  }
  const Solution all = solve(with_surroundings(world.plain.durations.size(), full, world.outside, world));
  const Solution reduced = solve(with_surroundings(reduction.nodes.size(), few, outside_of_few, world));
  for (std::size_t i = 0; i < world.outside.size(); ++i) {
    RC_ASSERT(all.finish(world.outside[i]) == reduced.finish(outside_of_few[i]));
    const auto own = [&](EdgeId e) { return std::vector<std::size_t>{e < full.size() ? e : kNoEdge}; };
    const auto chain = [&](EdgeId e) {
      std::vector<std::size_t> edges;
      if (e >= few.size()) return std::vector<std::size_t>{kNoEdge};
      for (const Slot slot : reduction.slots_of(e)) edges.push_back(small.graph.edge_id(slot));
      return edges;
    };
    RC_ASSERT(path_to(all, world.outside[i], own) == path_to(reduced, outside_of_few[i], chain));
  }
}

Reduction reduce_plain(const PlainGraph& plain, std::vector<NodeId> outside, std::vector<std::size_t> variable = {}) {
  World world;
  world.plain = plain;
  world.outside = std::move(outside);
  world.variable = std::move(variable);
  return reduce(world).reduction;
}

}  // namespace

TEST_CASE("a chain becomes one edge, which stands for all of its own") {
  const Reduction reduction = reduce_plain({{0, 0, 0, 0}, {{0, 1, 5}, {1, 2, 6}, {2, 3, 7}}}, {0, 3});
  REQUIRE(reduction.nodes.size() == 2);
  REQUIRE(reduction.edges.size() == 1);
  CHECK(reduction.edges[0].weight == 18);
  CHECK(reduction.slots_of(0).size() == 3);
}

TEST_CASE("of two ways between the same moments the longer stays, and of equals the one a path takes") {
  // 0 -> 1 -> 3 takes 7, 0 -> 2 -> 3 takes 6.
  PlainGraph diamond{{0, 0, 0, 0}, {{0, 1, 5}, {0, 2, 4}, {1, 3, 2}, {2, 3, 2}}};
  CHECK(reduce_plain(diamond, {0, 3}).edges[0].weight == 7);
  diamond.edges[1].weight = 5;
  const Reduction tied = reduce_plain(diamond, {0, 3});
  REQUIRE(tied.edges.size() == 1);
  CHECK(tied.slots_of(0)[0] == 0);
  // The other edge comes first into 3: now a path would take it.
  std::swap(diamond.edges[2], diamond.edges[3]);
  CHECK(reduce_plain(diamond, {0, 3}).slots_of(0)[0] == 1);
}

TEST_CASE("an edge beside a variable one stays unless it takes no time") {
  // 0 -> 1 is variable. An edge 0 -> 1 of 3 binds as long as the variable one takes less.
  CHECK(reduce_plain({{0, 0}, {{0, 1, 9}, {0, 1, 3}}}, {0, 1}, {0}).edges.size() == 2);
  CHECK(reduce_plain({{0, 0}, {{0, 1, 9}, {0, 1, 0}}}, {0, 1}, {0}).edges.size() == 1);
  // First in the row it would be on the path when both take 0.
  CHECK(reduce_plain({{0, 0}, {{0, 1, 0}, {0, 1, 9}}}, {0, 1}, {1}).edges.size() == 2);
}

TEST_CASE("what a path over a variable edge makes superfluous goes") {
  // 0 -> 1 ..> 2 -> 3 is at least 5 + 0 + 4 long.
  const PlainGraph plain{{0, 0, 0, 0}, {{0, 1, 5}, {1, 2, 0}, {2, 3, 4}, {0, 3, 8}}};
  CHECK(reduce_plain(plain, {0, 1, 2, 3}, {1}).edges.size() == 3);
}

TEST_CASE("what leads to no outside moment goes") {
  const Reduction reduction = reduce_plain({{0, 0, 0, 0}, {{0, 1, 5}, {0, 2, 50}, {2, 3, 50}}}, {0, 1});
  CHECK(reduction.nodes.size() == 2);
  CHECK(reduction.edges.size() == 1);
}

TEST_CASE("a ladder of launches needs its worst rung only") {
  // Host moments 0, 2, 4, ... each launch work 1, 3, 5, ... on one stream.
  PlainGraph ladder;
  constexpr NodeId kRungs = 500;
  ladder.durations.assign(2 * kRungs, 0);
  for (NodeId i = 0; i < kRungs; ++i) {
    if (i > 0) ladder.edges.push_back({2 * i - 2, 2 * i, 3 + (i * 7) % 5});
    ladder.edges.push_back({2 * i, 2 * i + 1, 1});
    if (i > 0) ladder.edges.push_back({2 * i - 1, 2 * i + 1, 2 + (i * 3) % 7});
  }
  // Begin to begin, end to end, and from both begins to both ends over the one rung that is worst: five more, where it
  // forks and joins.
  const Reduction reduction = reduce_plain(ladder, {0, 1, 2 * kRungs - 2, 2 * kRungs - 1});
  CHECK(reduction.edges.size() == 7);
}

TEST_CASE("reduced and whole, all outside moments have the same time and the same path, whatever the surroundings do") {
  CHECK(rc::check("weights from 0 on", [] {
    World world = random_world(false);
    const Small small = reduce(world);
    for (int i = 0; i < 4; ++i) choose_surroundings(world), require_same_paths(world, small);
  }));
  CHECK(rc::check("with negative weights", [] {
    World world = random_world(true);
    const Small small = reduce(world);
    for (int i = 0; i < 4; ++i) choose_surroundings(world), require_same_paths(world, small);
  }));
}

TEST_CASE("the edges that two sets of weights need serve both") {
  CHECK(rc::check("union", [] {
    World world = random_world(false);
    World other = world;
    for (PlainEdge& edge : other.plain.edges) edge.weight = *rc::gen::inRange<TimePs>(0, 7);
    Small small;
    small.graph = world.plain.build();
    const Graph second = other.plain.build();
    std::vector<std::uint8_t> moments(small.graph.node_count(), 0);
    for (const NodeId node : world.outside) moments[small.graph.position(node)] = 1;
    std::vector<Slot> variable;
    for (const std::size_t e : world.variable) variable.push_back(small.graph.slot_of_edge(static_cast<EdgeId>(e)));
    std::sort(variable.begin(), variable.end());
    const Outside outside{moments, variable};
    Column<std::uint8_t> needed = needed_edges(small.graph, outside);
    const Column<std::uint8_t> also = needed_edges(small.graph, outside, second.weights());
    for (std::size_t slot = 0; slot < needed.size(); ++slot) needed[slot] |= also[slot];
    small.reduction = contract_chains(small.graph, outside, needed);
    choose_surroundings(world);
    require_same_paths(world, small);
    for (std::size_t e = 0; e < small.reduction.edges.size(); ++e) {
      small.reduction.edges[e].weight = 0;
      for (const Slot slot : small.reduction.slots_of(e)) small.reduction.edges[e].weight += second.weight(slot);
    }
    other.held_until = world.held_until;
    other.variable_weight = world.variable_weight;
    require_same_paths(other, small);
  }));
}
