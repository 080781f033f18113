#include "graph/graph.h"

#include <algorithm>
#include <atomic>
#include <mutex>

namespace orrery::graph {

/// What is made on first request, by whichever thread asks first.
struct Graph::Lazy {
  std::once_flag outgoing_once;
  Column<std::uint32_t> outgoing_rows;
  Column<OutgoingEdge> outgoing;
  std::once_flag slots_once;
  Column<Slot> slot_of_edges;
  std::atomic<std::size_t> bytes{0};
};

Graph::Graph() : Graph(GraphColumns{}) {}
Graph::Graph(GraphColumns columns) : columns_(std::make_shared<const GraphColumns>(std::move(columns))), lazy_(std::make_shared<Lazy>()) {}

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
    Column<std::uint32_t> starts(std::size_t{node_count()} + 2, 0);
    // Counted two places on: the prefix sums are then one place on, and filling the rows moves them to where they belong.
    for (const Position source : sources) ++starts[source + 2];
    for (std::size_t i = 2; i < starts.size(); ++i) starts[i] += starts[i - 1];
    // starts[p + 1] now runs from the first edge of p to its last, which is where p + 1 begins.
    Column<OutgoingEdge> edges(edge_count());
    for (Position target = 0; target < node_count(); ++target) {
      for (const Slot slot : incoming_at(target)) edges[starts[sources[slot] + 1]++] = {slot, target};
    }
    starts.pop_back();
    lazy_->bytes += starts.memory_bytes() + edges.memory_bytes();
    lazy_->outgoing_rows = std::move(starts);
    lazy_->outgoing = std::move(edges);
  });
  const std::uint32_t begin = lazy_->outgoing_rows[position];
  return {lazy_->outgoing.data() + begin, lazy_->outgoing_rows[position + 1] - begin};
}

std::size_t Graph::memory_bytes() const {
  const auto sum = [](const auto&... columns) { return (columns.memory_bytes() + ...); };
  const GraphColumns& c = *columns_;
  const std::size_t edges = sum(c.sources, c.weights, c.types, c.edge_tags, c.edge_ids);
  return edges + sum(c.rows, c.nodes, c.positions, c.durations, c.kinds, c.node_tags) + lazy_->bytes;
}

}  // namespace orrery::graph
