// Random edits, applied to an Edits and to the plain lists alike.
#pragma once

#include <cmath>

#include "graph/edits.h"
#include "plain_graph.h"

namespace orrery::graph::testing {

/// `graph` was built from `plain`, which becomes what the edits should make of it. Also tries edges that close a cycle.
inline Edits random_edits(const Graph& graph, PlainGraph& plain, std::size_t max_edits = 8, bool with_added = true) {
  Edits edits(graph);
  const auto count = static_cast<NodeId>(plain.durations.size());
  const auto changes = *rc::gen::inRange<std::size_t>(0, max_edits + 1);
  const auto slot_of = [&](std::size_t edge) {
    return edge < graph.edge_count() ? graph.slot_of_edge(static_cast<EdgeId>(edge)) : static_cast<Slot>(edge);
  };
  for (std::size_t i = 0; i < changes && count > 0; ++i) {
    const int kind = *rc::gen::inRange(0, with_added ? 7 : 5);
    const auto node = *rc::gen::inRange<NodeId>(0, count);
    if (kind >= 5) {
      const auto other = *rc::gen::inRange<NodeId>(0, count);
      const auto weight = *rc::gen::inRange<TimePs>(-3, 7);
      const bool closes_cycle = plain.reaches(other, node);
      const auto added = edits.add_edge(node, other, 9, weight, 77);
      RC_ASSERT(added.ok() == !closes_cycle);
      if (!added.ok()) continue;
      RC_ASSERT(*added == plain.edges.size());
      plain.edges.push_back({node, other, weight});
      continue;
    }
    if (kind == 3) {
      plain.durations[node] = *rc::gen::inRange<TimePs>(-1, 6);
      edits.set_duration(node, plain.durations[node]);
      continue;
    }
    if (kind == 4) {
      plain.durations[node] *= 3;
      edits.scale_duration(node, 3);
      continue;
    }
    if (plain.edges.empty()) continue;
    const auto index = *rc::gen::inRange<std::size_t>(0, plain.edges.size());
    PlainEdge& edge = plain.edges[index];
    if (kind == 0) {
      const auto weight = *rc::gen::inRange<TimePs>(-3, 7);
      edits.set_weight(slot_of(index), weight);
      if (!edge.removed) edge.weight = weight;
    } else if (kind == 1) {
      const double factor = *rc::gen::element(0.0, 0.5, 1.5, 2.0, -1.0);
      edits.scale_weight(slot_of(index), factor);
      if (!edge.removed) edge.weight = std::llround(static_cast<double>(edge.weight) * factor);
    } else {
      edits.remove_edge(slot_of(index));
      edge.removed = true;
    }
  }
  return edits;
}

}  // namespace orrery::graph::testing
