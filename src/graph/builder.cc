#include "graph/builder.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "graph/refused_edges.h"
#include "graph/topological.h"

namespace orrery::graph {

GraphBuilder::GraphBuilder(std::optional<std::uint8_t> start_to_start_type)
    : start_to_start_type_(start_to_start_type) {
  assert(start_to_start_type != 0);  // a graph without types would have to mean that all edges are
}

void GraphBuilder::reserve(std::size_t nodes, std::size_t edges) {
  (void)nodes;  // nodes without attributes take no memory, and those with grow by moving pages
  from_.reserve(edges);
  to_.reserve(edges);
  weights_.reserve(edges);
}

NodeId GraphBuilder::add_node(TimePs duration, std::uint8_t kind, std::uint32_t tag) {
  const std::size_t node = node_count_++;
  durations_.set(node, duration);
  kinds_.set(node, kind);
  node_tags_.set(node, tag);
  times_in_range_ &= in_range(duration);
  return static_cast<NodeId>(node);
}

NodeId GraphBuilder::add_nodes(std::size_t count) {
  return static_cast<NodeId>(std::exchange(node_count_, node_count_ + count));
}

EdgeId GraphBuilder::add_edge(NodeId from, NodeId to, std::uint8_t type, TimePs weight, std::uint32_t tag) {
  const std::size_t edge = from_.size();
  ascending_ &= from < to;
  grouped_ &= edge == 0 || to >= to_.back();
  largest_node_ = std::max({largest_node_, from, to});
  times_in_range_ &= in_range(weight);
  from_.push_back(from);
  to_.push_back(to);
  weights_.push_back(weight);
  types_.set(edge, type);
  edge_tags_.set(edge, tag);
  return static_cast<EdgeId>(edge);
}

Status GraphBuilder::check() const {
  if (node_count_ > kMaxCount || from_.size() > kMaxCount) return too_many();
  // Nothing was looked at while edges came in, since nodes may come after them; now only if some edge is wrong at all.
  for (std::size_t e = 0; !from_.empty() && largest_node_ >= node_count_ && e < from_.size(); ++e) {
    if (std::max(from_[e], to_[e]) < node_count_) continue;
    const std::string edge =
        "edge " + std::to_string(e) + " (" + std::to_string(from_[e]) + " -> " + std::to_string(to_[e]) + ")";
    return Error{edge + " names a node that does not exist: there are " + std::to_string(node_count_)};
  }
  // Which one it was is looked for only when there is one: adding must stay cheap.
  if (times_in_range_) return {};
  for (std::size_t node = 0; node < durations_.values().size(); ++node) {
    if (in_range(durations_[node])) continue;
    return out_of_range("node " + std::to_string(node) + " has a duration", durations_[node]);
  }
  const auto bad = std::find_if_not(weights_.begin(), weights_.end(), in_range);
  return out_of_range("edge " + std::to_string(bad - weights_.begin()) + " has a weight", *bad);
}

/// Puts the nodes into Kahn's order and the edges into terms of positions.
Status GraphBuilder::renumber(GraphColumns& columns) {
  const NodeId count = static_cast<NodeId>(node_count_);
  columns.nodes = kahn_order(count, from_, to_);
  const std::vector<NodeId> cycle = find_cycle(count, from_, to_, columns.nodes);
  if (!cycle.empty()) return cycle_error(cycle);
  columns.positions = Column<Position>(count);
  for (Position p = 0; p < count; ++p) columns.positions[columns.nodes[p]] = p;
  for (NodeId& node : from_) node = columns.positions[node];
  for (NodeId& node : to_) node = columns.positions[node];
  // Attributes lie by position, as the sweeps meet them.
  durations_.scatter(columns.positions);
  kinds_.scatter(columns.positions);
  node_tags_.scatter(columns.positions);
  grouped_ = std::is_sorted(to_.begin(), to_.end());
  return {};
}

void GraphBuilder::fill_rows(GraphColumns& columns) {
  columns.rows = Column<Slot>(node_count_ + 1);
  columns.rows.assign(node_count_ + 1, 0);
  for (const Position target : to_) ++columns.rows[target + 1];
  for (std::size_t p = 0; p < node_count_; ++p) columns.rows[p + 1] += columns.rows[p];
}

/// A stable counting sort by target: edges of one target stay in the order in which they were added. `to_` becomes the
/// slot of each edge. Not group_by_row, which makes one array of entries: here five columns go to the same slots, and
/// each is freed before the next is moved.
void GraphBuilder::scatter_edges(GraphColumns& columns) {
  Column<Slot> next(node_count_);
  std::copy_n(columns.rows.begin(), node_count_, next.begin());
  for (Position& target : to_) target = next[target]++;
  next = Column<Slot>();
  const std::span<const Slot> slots = to_;
  columns.edge_ids = Column<EdgeId>(slots.size());
  for (EdgeId e = 0; e < slots.size(); ++e) columns.edge_ids[slots[e]] = e;
  scatter(from_, slots);
  scatter(weights_, slots);
  types_.scatter(slots);
  edge_tags_.scatter(slots);
}

Result<Graph> GraphBuilder::build() && {
  if (const Status status = check(); !status) return status.error();
  durations_.complete(node_count_);
  kinds_.complete(node_count_);
  node_tags_.complete(node_count_);
  types_.complete(from_.size());
  edge_tags_.complete(from_.size());

  GraphColumns columns;
  // Most who build a graph number their nodes as time goes: then the ids are a topological order, and the permutations
  // need no memory.
  if (!ascending_) {
    if (const Status status = renumber(columns); !status) return status.error();
  }
  fill_rows(columns);
  // Edges that came target by target already lie in rows, and their slots are their ids.
  if (!grouped_) scatter_edges(columns);
  to_ = Column<NodeId>();
  from_.shrink_to_fit();
  weights_.shrink_to_fit();
  columns.sources = std::move(from_);
  columns.weights = std::move(weights_);
  columns.types = std::move(types_);
  columns.edge_tags = std::move(edge_tags_);
  columns.durations = std::move(durations_);
  columns.kinds = std::move(kinds_);
  columns.node_tags = std::move(node_tags_);
  columns.start_to_start_type = start_to_start_type_;
  return Graph(std::move(columns));
}

}  // namespace orrery::graph
