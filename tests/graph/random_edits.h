// Random edits, applied to an Edits and to the plain lists alike.
#pragma once

#include "graph/edits.h"
#include "plain_graph.h"

namespace orrery::graph::testing {

/// `graph` was built from `plain`, which becomes what the edits should make of it.
inline Edits random_edits(const Graph& graph, PlainGraph& plain, std::size_t max_edits = 8) {
  Edits edits(graph);
  const auto count = static_cast<NodeId>(plain.durations.size());
  const auto changes = *rc::gen::inRange<std::size_t>(0, max_edits + 1);
  for (std::size_t i = 0; i < changes && count > 0; ++i) {
    if (*rc::gen::inRange(0, 3) == 0) {
      const auto node = *rc::gen::inRange<NodeId>(0, count);
      edits.set_duration(node, plain.durations[node] = *rc::gen::inRange<TimePs>(-1, 6));
    } else if (!plain.edges.empty()) {
      const auto edge = *rc::gen::inRange<std::size_t>(0, plain.edges.size());
      edits.set_weight(graph.slot_of_edge(static_cast<EdgeId>(edge)),
                       plain.edges[edge].weight = *rc::gen::inRange<TimePs>(-3, 7));
    }
  }
  return edits;
}

}  // namespace orrery::graph::testing
