#include "graph/graph.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/sparse_rows.h"

namespace orrery::graph {

/// What is made on first request, by whichever thread asks first.
struct Graph::Lazy {
  std::once_flag outgoing_once;
  SparseRows<OutgoingEdge> outgoing;
  std::once_flag slots_once;
  Column<Slot> slot_of_edges;
  std::atomic<std::size_t> bytes{0};
};

Graph::Graph() : Graph(GraphColumns{}) {}
Graph::Graph(GraphColumns columns)
    : columns_(std::make_shared<const GraphColumns>(std::move(columns))), lazy_(std::make_shared<Lazy>()) {}

std::span<const Slot> Graph::slot_of_edges() const {
  std::call_once(lazy_->slots_once, [this] {
    Column<Slot> slots(edge_count());
    for (Slot slot = 0; slot < edge_count(); ++slot) slots[edge_id(slot)] = slot;
    lazy_->bytes += slots.memory_bytes();
    lazy_->slot_of_edges = std::move(slots);
  });
  return lazy_->slot_of_edges;
}

Position Graph::target_position(Slot slot) const {
  const std::span<const Slot> starts = rows();
  return static_cast<Position>(std::upper_bound(starts.begin(), starts.end(), slot) - starts.begin() - 1);
}

std::span<const OutgoingEdge> Graph::outgoing_at(Position position) const {
  std::call_once(lazy_->outgoing_once, [this] {
    const std::span<const Position> sources = source_positions();
    lazy_->outgoing = group_by_row<OutgoingEdge>(node_count(), [&](auto&& add) {
      for (Position target = 0; target < node_count(); ++target) {
        for (const Slot slot : incoming_at(target)) add(sources[slot], {slot, target});
      }
    });
    lazy_->bytes += lazy_->outgoing.memory_bytes();
  });
  return std::as_const(lazy_->outgoing)[position];
}

std::size_t Graph::memory_bytes() const {
  const auto sum = [](const auto&... columns) { return (columns.memory_bytes() + ...); };
  const GraphColumns& c = *columns_;
  const std::size_t edges = sum(c.sources, c.weights, c.types, c.edge_tags, c.edge_ids);
  return edges + sum(c.rows, c.nodes, c.positions, c.durations, c.kinds, c.node_tags) + lazy_->bytes;
}

}  // namespace orrery::graph
