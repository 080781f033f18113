#include "graph/topological.h"

#include <algorithm>
#include <string>

namespace orrery::graph {
namespace {

std::string describe(std::span<const NodeId> cycle) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < cycle.size() && i < kShown; ++i) text += std::to_string(cycle[i]) + " -> ";
  if (cycle.size() > kShown) text += "... (" + std::to_string(cycle.size()) + " nodes) -> ";
  return text + std::to_string(cycle[0]);
}

}  // namespace

Column<NodeId> kahn_order(NodeId node_count, std::span<const NodeId> from, std::span<const NodeId> to) {
  return kahn_order(group_by_row<NodeId>(node_count, [&](auto&& add) {
    for (std::size_t e = 0; e < from.size(); ++e) add(from[e], to[e]);
  }));
}

Column<NodeId> kahn_order(const SparseRows<NodeId>& successors) {
  const NodeId node_count = static_cast<NodeId>(successors.row_count());
  Column<std::uint32_t> waiting_for(node_count, 0);
  for (const NodeId target : successors.entries()) ++waiting_for[target];
  Column<NodeId> order;
  order.reserve(node_count);
  for (NodeId node = 0; node < node_count; ++node) {
    if (waiting_for[node] == 0) order.push_back(node);
  }
  // With ids in no useful order every access below misses the cache. The queue tells what is needed next: ask for it
  // ahead of time, first the row, then its targets, then their counters.
  constexpr std::size_t kAhead = 8;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + 3 * kAhead < order.size()) __builtin_prefetch(&successors.firsts()[order[i + 3 * kAhead]]);
    if (i + 2 * kAhead < order.size()) __builtin_prefetch(successors[order[i + 2 * kAhead]].data());
    if (i + kAhead < order.size()) {
      for (const NodeId target : successors[order[i + kAhead]]) __builtin_prefetch(&waiting_for[target], 1);
    }
    for (const NodeId target : successors[order[i]]) {
      if (--waiting_for[target] == 0) order.push_back(target);
    }
  }
  return order;
}

std::vector<NodeId> find_cycle(NodeId node_count, std::span<const NodeId> from, std::span<const NodeId> to,
                               std::span<const NodeId> order) {
  if (order.size() == node_count) return {};
  std::vector<bool> ordered(node_count);
  for (const NodeId node : order) ordered[node] = true;
  // Every node left over waits for another one that is left over: walking from waiter to waited-for must come round.
  std::vector<NodeId> waits_for(node_count, kNoNode);
  for (std::size_t e = 0; e < from.size(); ++e) {
    // An edge from a node that was ordered holds nobody up. Of several the first is as good as any: one cycle is asked
    // for.
    if (!ordered[from[e]] && !ordered[to[e]] && waits_for[to[e]] == kNoNode) waits_for[to[e]] = from[e];
  }
  NodeId node = static_cast<NodeId>(std::find(ordered.begin(), ordered.end(), false) - ordered.begin());
  std::vector<bool> seen(node_count);
  for (; !seen[node]; node = waits_for[node]) seen[node] = true;
  std::vector<NodeId> cycle;
  for (NodeId at = node; cycle.empty() || at != node; at = waits_for[at]) cycle.push_back(at);
  std::reverse(cycle.begin(), cycle.end());
  // The same cycle in the same words, wherever the walk came upon it.
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

Error cycle_error(std::span<const NodeId> cycle) {
  const std::string loop = "node " + std::to_string(cycle[0]) + " has an edge to itself";
  return {cycle.size() == 1 ? loop : "the edges form a cycle: " + describe(cycle),
          {},
          Error::kNoOffset,
          "a graph of causes has no cycles"};
}

}  // namespace orrery::graph
