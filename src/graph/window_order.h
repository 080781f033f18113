// Where added edges go against a graph's topological order: the stretches of positions that have to be visited in another order.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/graph.h"

namespace orrery::graph {

struct AddedEdge;

/// The positions [begin, end) in the order in which they must be visited. Everything outside keeps its place.
struct OrderWindow {
  Position begin;
  Position end;
  std::vector<Position> order;
};

/// The windows, disjoint and ascending, that make room for the last of `added`, given those for the ones before it; nothing when that
/// edge closes a cycle. Slots in `removed` (ascending) do not constrain. O(nodes and edges in the window that is new or was widened).
std::optional<std::vector<OrderWindow>> widen_windows(const Graph& graph, const std::vector<OrderWindow>& windows,
                                                      std::span<const AddedEdge> added, std::span<const Slot> removed);

}  // namespace orrery::graph
