// A graph as two plain lists, the slow and obvious longest path over it, and random ones for properties.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/graph.h"
#include "graph/longest_path.h"

namespace orrery::graph::testing {

struct PlainEdge {
  NodeId from;
  NodeId to;
  TimePs weight;
};

constexpr std::size_t kNoEdge = ~std::size_t{0};

struct PlainAnswer {
  std::vector<TimePs> finish;
  std::vector<std::size_t> chosen;  // index of an edge, or kNoEdge
  NodeId end = kNoNode;
  TimePs length = 0;
  std::vector<NodeId> path_nodes;
  std::vector<std::size_t> path_edges;
};

struct PlainGraph {
  std::vector<TimePs> durations;
  std::vector<PlainEdge> edges;

  [[nodiscard]] Graph build() const {
    GraphBuilder builder;
    for (const TimePs duration : durations) builder.add_node(duration);
    for (const PlainEdge& edge : edges)
      builder.add_edge(edge.from, edge.to, static_cast<std::uint8_t>(edge.weight & 3), edge.weight);
    return *std::move(builder).build();
  }

  /// By repeating the rule until nothing changes; no order of nodes is assumed.
  [[nodiscard]] PlainAnswer solve(NodeId end = kNoNode) const {
    PlainAnswer answer;
    answer.finish = durations;
    answer.chosen.assign(durations.size(), kNoEdge);
    for (bool changed = true; changed;) {
      changed = false;
      for (NodeId v = 0; v < durations.size(); ++v) {
        TimePs best = -1;
        std::size_t chosen = kNoEdge;
        for (std::size_t e = 0; e < edges.size(); ++e) {
          if (edges[e].to != v) continue;
          const TimePs candidate = answer.finish[edges[e].from] + edges[e].weight;
          if (candidate > best) best = candidate, chosen = e;
        }
        const TimePs finish = durations[v] + std::max<TimePs>(best, 0);
        changed |= finish != answer.finish[v] || chosen != answer.chosen[v];
        answer.finish[v] = finish;
        answer.chosen[v] = chosen;
      }
    }
    if (durations.empty()) return answer;
    const auto largest = std::max_element(answer.finish.begin(), answer.finish.end());
    answer.end = end != kNoNode ? end : static_cast<NodeId>(largest - answer.finish.begin());
    answer.length = answer.finish[answer.end];
    answer.path_nodes.push_back(answer.end);
    for (std::size_t e = answer.chosen[answer.end]; e != kNoEdge; e = answer.chosen[edges[e].from]) {
      answer.path_edges.insert(answer.path_edges.begin(), e);
      answer.path_nodes.insert(answer.path_nodes.begin(), edges[e].from);
    }
    return answer;
  }

  /// Whether `to` can be reached from `from`.
  [[nodiscard]] bool reaches(NodeId from, NodeId to) const {
    std::vector<bool> reached(durations.size());
    reached[from] = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (const PlainEdge& edge : edges) {
        if (!reached[edge.from] || reached[edge.to]) continue;
        reached[edge.to] = changed = true;
      }
    }
    return reached[to];
  }
};

/// Up to `max_nodes` nodes in a hidden order, about twice as many edges along it in no order, parallel ones included;
/// weights small enough for many ties and some negative. Ids follow the hidden order in half of the cases.
inline PlainGraph random_graph(std::size_t max_nodes = 12) {
  PlainGraph graph;
  const auto count = *rc::gen::inRange<std::size_t>(0, max_nodes + 1);
  const bool with_durations = *rc::gen::arbitrary<bool>();
  for (std::size_t i = 0; i < count; ++i)
    graph.durations.push_back(with_durations ? *rc::gen::inRange<TimePs>(-1, 5) : 0);
  std::vector<std::pair<int, NodeId>> rank(count);
  const bool ids_in_order = *rc::gen::arbitrary<bool>();
  for (NodeId i = 0; i < count; ++i) rank[i] = {ids_in_order ? 0 : *rc::gen::inRange(0, 1000), i};
  const auto edges = count < 2 ? 0 : *rc::gen::inRange<std::size_t>(0, 3 * count);
  for (std::size_t e = 0; e < edges; ++e) {
    NodeId a = *rc::gen::inRange<NodeId>(0, static_cast<NodeId>(count));
    NodeId b = *rc::gen::inRange<NodeId>(0, static_cast<NodeId>(count));
    if (a == b) continue;
    if (rank[b] < rank[a]) std::swap(a, b);
    graph.edges.push_back({a, b, *rc::gen::inRange<TimePs>(-3, 7)});
  }
  return graph;
}

/// By node.
inline std::vector<TimePs> finishes(const Solution& solution) {
  std::vector<TimePs> by_node;
  for (NodeId node = 0; node < solution.graph().node_count(); ++node) by_node.push_back(solution.finish(node));
  return by_node;
}

/// The edge in the plain lists that a slot stands for.
inline std::size_t edge_of(const Graph& graph, Slot slot) { return slot == kNoSlot ? kNoEdge : graph.edge_id(slot); }

inline void require_equal(const Solution& solution, const PlainAnswer& answer) {
  RC_ASSERT(finishes(solution) == answer.finish);
  RC_ASSERT(solution.end() == answer.end);
  RC_ASSERT(solution.length() == answer.length);
  for (NodeId v = 0; v < answer.finish.size(); ++v) {
    RC_ASSERT(solution.finish(v) == answer.finish[v]);
    RC_ASSERT(edge_of(solution.graph(), solution.chosen(v)) == answer.chosen[v]);
  }
  const Path path = solution.path();
  RC_ASSERT(path.nodes == answer.path_nodes);
  RC_ASSERT(path.slots.size() == answer.path_edges.size());
  for (std::size_t i = 0; i < path.slots.size(); ++i)
    RC_ASSERT(edge_of(solution.graph(), path.slots[i]) == answer.path_edges[i]);
}

inline void require_same(const Solution& a, const Solution& b) {
  RC_ASSERT(finishes(a) == finishes(b));
  RC_ASSERT(a.end() == b.end());
  RC_ASSERT(a.path().slots == b.path().slots);
  for (NodeId v = 0; v < a.graph().node_count(); ++v) RC_ASSERT(a.chosen(v) == b.chosen(v));
}

}  // namespace orrery::graph::testing
