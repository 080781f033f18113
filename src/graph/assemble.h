// Makes a Graph of edges that can be told again: nothing is kept of them but the Graph itself.
//
// Compressed rows made in two passes, of which one counts and one fills. GraphBuilder keeps a list of all edges until
// the order of the nodes is known, which takes as much as the Graph and more while one becomes the other; whoever has
// the edges in another form needs no list.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/column.h"
#include "base/result.h"
#include "base/sparse_rows.h"
#include "graph/graph.h"
#include "graph/refused_edges.h"
#include "graph/topological.h"

namespace orrery::graph {

/// What must be known of all edges before any can be put in its place.
struct EdgeSurvey {
  explicit EdgeSurvey(std::size_t node_count) : incoming(node_count, 0) {}

  void add(NodeId from, NodeId to, TimePs weight) {
    assert(from < incoming.size() && to < incoming.size());
    ++incoming[to];
    is_ascending &= from < to;
    if (!in_range(weight) && refused == kNone) refused = edges, refused_weight = weight;
    ++edges;
  }
  [[nodiscard]] Status check() const;

  static constexpr std::size_t kNone = ~std::size_t{0};
  Column<Slot> incoming;  ///< by node: how many edges lead to it
  std::size_t edges = 0;
  bool is_ascending = true;     ///< every edge goes from a smaller to a larger id: ids are a topological order
  std::size_t refused = kNone;  ///< the first edge that weighs too much
  TimePs refused_weight = 0;
};

/// Puts each edge in its row.
class RowFiller {
 public:
  /// `columns` have the order of the nodes, if it is not that of their ids; they get all the rest.
  RowFiller(GraphColumns& columns, const EdgeSurvey& survey);

  void add(NodeId from, NodeId to, std::uint8_t type, TimePs weight, std::uint32_t tag) {
    const Slot slot = next_[position(to)]++;
    columns_.sources[slot] = position(from);
    columns_.weights[slot] = weight;
    types_[slot] = type;
    tags_[slot] = tag;
    has_types_ |= type != 0;
    has_tags_ |= tag != kNoTag;
  }
  void finish();

 private:
  [[nodiscard]] Position position(NodeId node) const {
    return columns_.positions.empty() ? node : columns_.positions[node];
  }

  GraphColumns& columns_;
  Column<Slot> next_;  // by position: where its next edge goes
  Column<std::uint8_t> types_;
  Column<std::uint32_t> tags_;
  bool has_types_ = false, has_tags_ = false;
};

/// `for_each_edge(add)` calls add(from, to, type, weight, tag) for every edge; it is called several times, and must say
/// the same each time. All nodes are below `node_count`, of duration and kind 0 and without tags. The Graph is that of
/// a GraphBuilder which was given the same edges, slot by slot, and so is the Error of edges that form a cycle or are
/// out of range; but edges are numbered by their slots. O(nodes + edges); beside the Graph 4 bytes per node, and before
/// it is made 4 per edge and 8 per node.
template <typename ForEachEdge>
Result<Graph> assemble(std::size_t node_count, const ForEachEdge& for_each_edge) {
  if (node_count > kMaxCount) return too_many();
  EdgeSurvey survey(node_count);
  for_each_edge(
      [&](NodeId from, NodeId to, std::uint8_t, TimePs weight, std::uint32_t) { survey.add(from, to, weight); });
  if (const Status status = survey.check(); !status) return status.error();
  GraphColumns columns;
  if (!survey.is_ascending) {
    columns.nodes = kahn_order(group_by_row<NodeId>(node_count, [&](auto&& add_successor) {
      for_each_edge([&](NodeId from, NodeId to, std::uint8_t, TimePs, std::uint32_t) { add_successor(from, to); });
    }));
    if (columns.nodes.size() < node_count) {
      Column<NodeId> sources, targets;
      for_each_edge([&](NodeId from, NodeId to, std::uint8_t, TimePs, std::uint32_t) {
        sources.push_back(from), targets.push_back(to);
      });
      return cycle_error(find_cycle(static_cast<NodeId>(node_count), sources, targets, columns.nodes));
    }
  }
  RowFiller rows(columns, survey);
  for_each_edge([&](NodeId from, NodeId to, std::uint8_t type, TimePs weight, std::uint32_t tag) {
    rows.add(from, to, type, weight, tag);
  });
  rows.finish();
  return Graph(std::move(columns));
}

}  // namespace orrery::graph
