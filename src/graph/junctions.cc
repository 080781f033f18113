#include "graph/junctions.h"

namespace orrery::graph {
namespace {

enum Part : std::uint8_t { kDead, kChainNode, kJunction, kPinned };

/// By position. Backwards, so that all that leaves a node is known when it is met.
Column<std::uint8_t> parts_of(const Graph& graph, const Outside& outside, std::span<const TimePs> weights) {
  const std::span<const Position> sources = graph.source_positions();
  Column<std::uint8_t> parts(graph.node_count(), 0);  // until a node is met: its ways out, 2 for more
  for (Position p = graph.node_count(); p-- > 0;) {
    const std::uint8_t ways_out = parts[p];
    parts[p] = kDead;
    if (ways_out == 0 && outside.moments[p] == 0) continue;
    const SlotRange row = graph.incoming_at(p);
    for (const Slot slot : row) {
      std::uint8_t& ways = parts[sources[slot]];
      if (ways < 2) ++ways;
    }
    if (outside.moments[p] != 0 || starts_by_itself(graph, weights, p)) parts[p] = kPinned;
    else parts[p] = ways_out == 1 && row.size() == 1 ? kChainNode : kJunction;
  }
  return parts;
}

}  // namespace

Junctions::Junctions(const Graph& graph, const Outside& outside, std::span<const TimePs> weights) {
  const std::span<const Position> sources = graph.source_positions();
  const std::span<const Slot> rows = graph.rows();
  is_chain_node = parts_of(graph, outside, weights);
  Column<std::uint32_t> number(graph.node_count());
  const Slot* variable = outside.variable.data();
  const Slot* const variable_end = variable + outside.variable.size();
  for (Position p = 0; p < graph.node_count(); ++p) {
    const std::uint8_t part = is_chain_node[p];
    is_chain_node[p] = part == kChainNode;
    if (part == kDead || part == kChainNode) continue;
    number[p] = count();
    is_outside.push_back(outside.moments[p]);
    is_pinned.push_back(part == kPinned);
    first_way.push_back(static_cast<std::uint32_t>(ways.size()));
    for (Slot last = rows[p]; last < rows[p + 1]; ++last) {
      while (variable != variable_end && *variable < last) ++variable;
      if (variable != variable_end && *variable == last) {
        ways.push_back({number[sources[last]], last, 0, true, true});
        continue;
      }
      TimePs weight = weights[last];
      Position from = sources[last];
      for (; is_chain_node[from] != 0; from = sources[rows[from]])
        weight = std::min(weight + weights[rows[from]], kMaxFinishPs);
      ways.push_back({number[from], last, weight, false, true});
    }
  }
  first_way.push_back(static_cast<std::uint32_t>(ways.size()));
}

}  // namespace orrery::graph
