// A graph reduced to what its surroundings can tell from the whole: the longest paths between a few outside moments,
// whatever comes in there.
//
// Outside moments are nodes that others hold back or look at; variable edges, between two of them, may take any time
// from 0 on. For every choice of both, max-plus algebra allows three rewrites:
// - an edge u -> v goes if another path u -> v, variable edges counted as 0, is at least as long;
// - a node with one way in or one way out is replaced by direct edges, whose weights add;
// - of parallel edges the longest stays.
// needed_edges applies them all, symbolically, and says which edges are left over on some path; contract_chains then
// makes one edge of each chain of these. So what is left is a part of the graph itself: no edge stands for two paths,
// and nothing is counted twice.
//
// Ties. Of several longest paths a Solution takes the one that comes first by the order of incoming edges, from the end
// backwards. An edge therefore goes for an equally long path only if that one comes first: the path to every outside
// moment is the same, edge by edge.
#pragma once

#include <span>

#include "base/column.h"
#include "graph/graph.h"
#include "graph/junctions.h"

namespace orrery::graph {

/// By slot: 1 for edges that are on the path to some outside moment for some choice of what comes in and of variable
/// edges, 0 for edges that are not; where that takes long to find out, 1. Variable edges are 1. `weights`, by slot,
/// count instead of the graph's: a graph that is to be solved with several sets of them needs the edges that any of
/// them needs. Linear but for searches of bounded length. Exact as long as no path exceeds kMaxFinishPs.
Column<std::uint8_t> needed_edges(const Graph& graph, const Outside& outside, std::span<const TimePs> weights);
Column<std::uint8_t> needed_edges(const Graph& graph, const Outside& outside);

/// Nodes and edges that are left, and what each edge stands for.
struct Reduction {
  struct Edge {
    std::uint32_t from, to;  ///< into `nodes`
    TimePs weight;           ///< the sum, at most kMaxWeightPs
  };
  Column<Position> nodes;            ///< ascending positions of the graph reduced
  Column<Edge> edges;                ///< by target, in the order of the graph
  Column<std::uint32_t> first_slot;  ///< per edge, into `slots`; then their number
  Column<Slot> slots;                ///< of the graph reduced: the chain of each edge, first to last

  [[nodiscard]] std::span<const Slot> slots_of(std::size_t edge) const {
    return {slots.data() + first_slot[edge], first_slot[edge + 1] - first_slot[edge]};
  }
};

/// Outside moments, where needed edges meet, and the chains between. `needed` is by slot. O(nodes + edges).
Reduction contract_chains(const Graph& graph, const Outside& outside, std::span<const std::uint8_t> needed);

}  // namespace orrery::graph
