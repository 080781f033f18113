// Collects nodes and edges in any order and makes a Graph of them.
#pragma once

#include <cstdint>
#include <optional>

#include "base/column.h"
#include "base/optional_column.h"
#include "base/result.h"
#include "graph/graph.h"

namespace orrery::graph {

/// Takes 16 bytes per edge while building (plus types and tags where given); adding costs a few nanoseconds. Nothing
/// fails before build(). Parallel edges are kept. An edge may be added before its nodes.
class GraphBuilder {
 public:
  /// `start_to_start_type`: edges of this type count from the start of their source (see Graph). It must not be 0.
  explicit GraphBuilder(std::optional<std::uint8_t> start_to_start_type = std::nullopt);
  void reserve(std::size_t nodes, std::size_t edges);

  NodeId add_node(TimePs duration = 0, std::uint8_t kind = 0, std::uint32_t tag = kNoTag);
  /// `count` nodes of duration and kind 0, without tags; returns the first one.
  NodeId add_nodes(std::size_t count);
  EdgeId add_edge(NodeId from, NodeId to, std::uint8_t type, TimePs weight, std::uint32_t tag = kNoTag);

  [[nodiscard]] std::size_t node_count() const { return node_count_; }
  [[nodiscard]] std::size_t edge_count() const { return from_.size(); }

  /// O(nodes + edges). An Error names: an edge with an unknown node; a weight or duration beyond kMaxWeightPs; an edge
  /// from a node to itself; the nodes of one cycle; more than 2^32 - 2 nodes or edges.
  Result<Graph> build() &&;

 private:
  [[nodiscard]] Status check() const;
  Status renumber(GraphColumns& columns);
  void fill_rows(GraphColumns& columns);
  void scatter_edges(GraphColumns& columns);

  std::optional<std::uint8_t> start_to_start_type_;
  std::size_t node_count_ = 0;
  OptionalColumn<TimePs> durations_;
  OptionalColumn<std::uint8_t> kinds_;
  OptionalColumn<std::uint32_t, kNoTag> node_tags_;
  Column<NodeId> from_, to_;
  Column<TimePs> weights_;
  OptionalColumn<std::uint8_t> types_;
  OptionalColumn<std::uint32_t, kNoTag> edge_tags_;
  NodeId largest_node_ = 0;  // named by an edge
  bool ascending_ = true;    // every edge goes from a smaller to a larger id: ids are a topological order
  bool grouped_ = true;      // targets never decrease: the edges already lie in rows
  bool times_in_range_ = true;
};

}  // namespace orrery::graph
