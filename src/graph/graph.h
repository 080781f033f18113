// A directed acyclic graph with weighted, typed edges: why things happened in the order they did. Made by GraphBuilder,
// never changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

#include "base/column.h"
#include "base/optional_column.h"
#include "base/units.h"

namespace orrery::graph {

// The numbers a graph is addressed by, and the range of times for which its sums are exact.

using NodeId = std::uint32_t;  ///< in order of GraphBuilder::add_node
using EdgeId = std::uint32_t;  ///< in order of GraphBuilder::add_edge
using Slot = std::uint32_t;    ///< where an edge lies in the rows: edges of one target are neighbours
using Position =
    std::uint32_t;  ///< rank of a node in the topological order: an edge's source has a smaller one than its target

inline constexpr NodeId kNoNode = ~NodeId{0};
inline constexpr Slot kNoSlot = ~Slot{0};
inline constexpr std::uint32_t kNoTag = ~std::uint32_t{0};

/// Durations and weights lie within +-kMaxWeightPs (26 days): the builder refuses others, Edits clamp them.
inline constexpr TimePs kMaxWeightPs = (TimePs{1} << 61) - 1;
/// A finish saturates here (53 days). Together the two limits keep every sum within 63 bits:
/// finish + weight + duration <= 2^62 - 1 + 2 * (2^61 - 1).
inline constexpr TimePs kMaxFinishPs = (TimePs{1} << 62) - 1;
/// The slack of what can grow without end, because it does not lead to the end asked for.
inline constexpr TimePs kUnlimited = INT64_MAX;

/// A half-open range of slots, for range-based loops.
class SlotRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Slot;
    using difference_type = std::ptrdiff_t;
    using pointer = const Slot*;
    using reference = Slot;

    Iterator() = default;
    explicit Iterator(Slot slot) : slot_(slot) {}
    Slot operator*() const { return slot_; }
    Iterator& operator++() { return ++slot_, *this; }
    Iterator operator++(int) { return Iterator(slot_++); }
    bool operator==(const Iterator&) const = default;

   private:
    Slot slot_ = 0;
  };
  SlotRange(Slot first, Slot last) : first_(first), last_(last) {}
  [[nodiscard]] Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] Iterator end() const { return Iterator(last_); }
  [[nodiscard]] Slot size() const { return last_ - first_; }
  [[nodiscard]] bool empty() const { return first_ == last_; }
  Slot operator[](Slot i) const { return first_ + i; }

 private:
  Slot first_, last_;
};

/// What a Graph is made of, by position and by slot. An empty optional column means the default, an empty permutation
/// the identity.
struct GraphColumns {
  Column<Slot> rows = Column<Slot>(1, 0);           ///< first slot of each position, then the edge count
  Column<Position> sources;                         ///< by slot
  Column<TimePs> weights;                           ///< by slot
  OptionalColumn<std::uint8_t> types;               ///< by slot
  OptionalColumn<std::uint32_t, kNoTag> edge_tags;  ///< by slot
  Column<EdgeId> edge_ids;                          ///< by slot; empty: edges are numbered by slot
  Column<NodeId> nodes;                ///< by position; empty: every edge was added from a smaller to a larger id
  Column<Position> positions;          ///< by node: the inverse of `nodes`
  OptionalColumn<TimePs> durations;    ///< by position
  OptionalColumn<std::uint8_t> kinds;  ///< by position
  OptionalColumn<std::uint32_t, kNoTag> node_tags;  ///< by position
  std::optional<std::uint8_t> start_to_start_type;  ///< edges of this type are start-to-start; never 0
};

struct OutgoingEdge {
  Slot slot;
  Position target_position;
};

/// An immutable value: copies share the same memory and may be used from several threads. Every NodeId is the
/// builder's.
///
/// Incoming edges are compressed rows by target, in topological order; within a target they keep the order in which
/// they were added. If every edge was added from a smaller to a larger id the order is the builder's and costs nothing;
/// otherwise nodes are renumbered once.
///
/// An edge is finish-to-start: its weight counts from the finish of its source. Edges of one type, if the builder was
/// given it, are start-to-start: theirs counts from the start of the source, whatever its duration is or becomes by
/// edits.
///
/// Bytes per node: 4, +8 with durations, +1 with kinds, +4 with tags, +8 when renumbered.
/// Bytes per edge: 12, +1 with types, +4 with tags, +4 unless edges were added target by target in topological order.
/// On first request: outgoing edges, 4 per node and 8 per edge; slot_of_edges, 4 per edge.
class Graph {
 public:
  Graph();
  /// For GraphBuilder and restore: `columns` must be complete and consistent.
  explicit Graph(GraphColumns columns);

  [[nodiscard]] NodeId node_count() const { return static_cast<NodeId>(columns_->rows.size() - 1); }
  [[nodiscard]] EdgeId edge_count() const { return static_cast<EdgeId>(columns_->sources.size()); }

  [[nodiscard]] TimePs duration(NodeId node) const { return columns_->durations[position(node)]; }
  [[nodiscard]] std::uint8_t kind(NodeId node) const { return columns_->kinds[position(node)]; }
  [[nodiscard]] std::uint32_t tag(NodeId node) const { return columns_->node_tags[position(node)]; }

  /// Incoming edges in the order in which they were added.
  [[nodiscard]] SlotRange incoming(NodeId node) const { return incoming_at(position(node)); }
  [[nodiscard]] NodeId source(Slot slot) const { return node_at(columns_->sources[slot]); }
  /// O(log nodes).
  [[nodiscard]] NodeId target(Slot slot) const { return node_at(target_position(slot)); }
  [[nodiscard]] TimePs weight(Slot slot) const { return columns_->weights[slot]; }
  [[nodiscard]] std::uint8_t type(Slot slot) const { return columns_->types[slot]; }
  [[nodiscard]] bool is_start_to_start(Slot slot) const { return columns_->start_to_start_type == type(slot); }
  [[nodiscard]] std::optional<std::uint8_t> start_to_start_type() const { return columns_->start_to_start_type; }
  [[nodiscard]] std::uint32_t edge_tag(Slot slot) const { return columns_->edge_tags[slot]; }
  [[nodiscard]] EdgeId edge_id(Slot slot) const { return columns_->edge_ids.empty() ? slot : columns_->edge_ids[slot]; }
  /// The inverse of edge_id; the table behind it is made on first request.
  [[nodiscard]] Slot slot_of_edge(EdgeId edge) const {
    return columns_->edge_ids.empty() ? edge : slot_of_edges()[edge];
  }
  [[nodiscard]] std::span<const Slot> slot_of_edges() const;

  /// Outgoing edges by position of the target, parallel ones in the order they were added. Made on first request, one
  /// pass over all edges.
  [[nodiscard]] std::span<const OutgoingEdge> outgoing(NodeId node) const { return outgoing_at(position(node)); }

  /// Topological order: `for (Position p = 0; p < graph.node_count(); ++p) use(graph.node_at(p));`
  [[nodiscard]] NodeId node_at(Position position) const {
    return columns_->nodes.empty() ? position : columns_->nodes[position];
  }
  [[nodiscard]] Position position(NodeId node) const {
    return columns_->positions.empty() ? node : columns_->positions[node];
  }
  [[nodiscard]] bool renumbered() const { return !columns_->nodes.empty(); }

  /// By position and slot, for sweeps: rows has node_count() + 1 entries; durations is empty when all are 0.
  [[nodiscard]] std::span<const Slot> rows() const { return columns_->rows; }
  [[nodiscard]] std::span<const Position> source_positions() const { return columns_->sources; }
  [[nodiscard]] std::span<const TimePs> weights() const { return columns_->weights; }
  [[nodiscard]] std::span<const TimePs> durations() const { return columns_->durations.values(); }
  [[nodiscard]] SlotRange incoming_at(Position position) const {
    return {columns_->rows[position], columns_->rows[position + 1]};
  }
  [[nodiscard]] Position target_position(Slot slot) const;
  [[nodiscard]] std::span<const OutgoingEdge> outgoing_at(Position position) const;
  [[nodiscard]] const GraphColumns& columns() const { return *columns_; }

  /// Whether both share the same memory, so that slots and positions of one hold for the other.
  [[nodiscard]] bool same_as(const Graph& other) const { return columns_ == other.columns_; }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Lazy;

  std::shared_ptr<const GraphColumns> columns_;
  std::shared_ptr<Lazy> lazy_;
};

}  // namespace orrery::graph
