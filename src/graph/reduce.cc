#include "graph/reduce.h"

#include <algorithm>
#include <cassert>

#include "graph/junctions.h"

namespace orrery::graph {
namespace {

/// Which positions stay nodes when the chains between them become edges.
class ChainMap {
 public:
  ChainMap(const Graph& graph, const Outside& outside, std::span<const std::uint8_t> needed)
      : graph_(graph), needed_(needed), ways_out_(graph.node_count(), 0), is_inner_(graph.node_count(), 0) {
    for (Position p = graph.node_count(); p-- > 0;) {
      std::uint32_t ways_in = 0;
      for (const Slot slot : graph.incoming_at(p)) {
        if (needed[slot] == 0) continue;
        ++ways_in;
        std::uint8_t& ways = ways_out_[graph.source_positions()[slot]];
        if (ways < 2) ++ways;
      }
      const bool is_pinned = outside.moments[p] != 0 || starts_by_itself(graph, graph.weights(), p);
      is_inner_[p] = !is_pinned && ways_in == 1 && ways_out_[p] == 1;
    }
  }

  [[nodiscard]] bool is_inner(Position p) const { return is_inner_[p] != 0; }
  /// Whether anything needed leaves it; what enters, but leaves nowhere, was not needed.
  [[nodiscard]] bool leads_on(Position p) const { return ways_out_[p] != 0; }
  /// Of an inner position.
  [[nodiscard]] Slot only_way_in(Position p) const {
    Slot slot = graph_.rows()[p];
    while (needed_[slot] == 0) ++slot;
    return slot;
  }

 private:
  const Graph& graph_;
  std::span<const std::uint8_t> needed_;
  Column<std::uint8_t> ways_out_;  // 2 for more
  Column<std::uint8_t> is_inner_;
};

}  // namespace

Column<std::uint8_t> needed_edges(const Graph& graph, const Outside& outside) {
  return needed_edges(graph, outside, graph.weights());
}

Reduction contract_chains(const Graph& graph, const Outside& outside, std::span<const std::uint8_t> needed) {
  assert(graph.durations().empty() && needed.size() == graph.edge_count());
  const ChainMap map(graph, outside, needed);
  const std::span<const Position> sources = graph.source_positions();
  const std::span<const TimePs> weights = graph.weights();
  Reduction reduction;
  Column<std::uint32_t> number(graph.node_count());
  for (Position p = 0; p < graph.node_count(); ++p) {
    if (map.is_inner(p) || (outside.moments[p] == 0 && !map.leads_on(p))) continue;
    number[p] = static_cast<std::uint32_t>(reduction.nodes.size());
    reduction.nodes.push_back(p);
    for (const Slot last : graph.incoming_at(p)) {
      if (needed[last] == 0) continue;
      const std::size_t first = reduction.slots.size();
      reduction.first_slot.push_back(static_cast<std::uint32_t>(first));
      reduction.slots.push_back(last);
      TimePs weight = weights[last];
      Position from = sources[last];
      while (map.is_inner(from)) {
        const Slot slot = map.only_way_in(from);
        reduction.slots.push_back(slot);
        weight = std::min(weight + weights[slot], kMaxFinishPs);
        from = sources[slot];
      }
      std::reverse(reduction.slots.begin() + first, reduction.slots.end());
      reduction.edges.push_back({number[from], number[p], std::min(weight, kMaxWeightPs)});
    }
  }
  reduction.first_slot.push_back(static_cast<std::uint32_t>(reduction.slots.size()));
  return reduction;
}

}  // namespace orrery::graph
