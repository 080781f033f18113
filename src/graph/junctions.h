// A graph without its chains: what needed_edges works on. Private to src/graph.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "base/column.h"
#include "graph/graph.h"

namespace orrery::graph {

// What of a graph is seen and touched from elsewhere; see reduce.h.

/// What the surroundings of a graph touch. The graph's nodes must take no time.
struct Outside {
  std::span<const std::uint8_t> moments;  ///< by position: 1 for an outside moment
  std::span<const Slot> variable;         ///< ascending; both ends are outside moments
};

/// Whether the rule that no finish is below 0 may set the finish of this node: then it cannot be left out, since what
/// leaves it does not depend on what comes in alone.
inline bool starts_by_itself(const Graph& graph, std::span<const TimePs> weights, Position p) {
  const SlotRange row = graph.incoming_at(p);
  if (row.empty()) return true;
  return std::any_of(row.begin(), row.end(), [&](Slot slot) { return weights[slot] < 0; });
}

/// Junctions are outside moments, nodes that start by themselves, and those with several ways in or out. What leads to
/// no outside moment is left out. Between junctions lie chains, each one way.
struct Junctions {
  struct Way {
    std::uint32_t from;  ///< junction
    Slot last;           ///< the last edge of the chain
    TimePs weight;       ///< 0 if variable
    bool is_variable;
    bool is_needed;  ///< as far as is known
  };
  Column<std::uint8_t> is_outside;  ///< per junction
  Column<std::uint8_t> is_pinned;   ///< per junction: outside, or it starts by itself
  Column<std::uint32_t> first_way;  ///< per junction: its ways in, in order; then their number
  Column<Way> ways;
  Column<std::uint8_t> is_chain_node;  ///< by position: it lies within a way

  Junctions(const Graph& graph, const Outside& outside, std::span<const TimePs> weights);
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(is_outside.size()); }
};

}  // namespace orrery::graph
