#include "graph/edited_graph.h"

#include <utility>

namespace orrery::graph {
namespace {

template <typename T>
Column<T> copied(std::span<const T> values) {
  Column<T> copy;
  copy.reserve(values.size());
  copy.append(values);
  return copy;
}

template <typename T, T kDefault>
OptionalColumn<T, kDefault> copied(const OptionalColumn<T, kDefault>& values) {
  return OptionalColumn<T, kDefault>(copied(values.values()));
}

// `base` may be empty: zeros.
Column<TimePs> patched(std::span<const TimePs> base, std::size_t size, const TimePatch& patch) {
  const TimePatch::Folded changes = patch.fold();
  if (changes.dense != nullptr) return copied(std::span<const TimePs>(*changes.dense));
  if (changes.indices.empty()) return copied(base);
  Column<TimePs> values = base.empty() ? Column<TimePs>(size, 0) : copied(base);
  for (std::size_t i = 0; i < changes.indices.size(); ++i) values[changes.indices[i]] = changes.values[i];
  return values;
}

}  // namespace

Graph with_edits(const Edits& edits) {
  const Graph& graph = edits.graph();
  const GraphColumns& from = graph.columns();
  GraphColumns columns;
  columns.rows = copied(graph.rows());
  columns.sources = copied(graph.source_positions());
  columns.weights = patched(graph.weights(), graph.edge_count(), edits.weights());
  columns.types = copied(from.types);
  columns.edge_tags = copied(from.edge_tags);
  columns.edge_ids = copied(std::span<const EdgeId>(from.edge_ids));
  columns.nodes = copied(std::span<const NodeId>(from.nodes));
  columns.positions = copied(std::span<const Position>(from.positions));
  columns.durations = OptionalColumn<TimePs>(patched(graph.durations(), graph.node_count(), edits.durations()));
  columns.kinds = copied(from.kinds);
  columns.node_tags = copied(from.node_tags);
  columns.start_to_start_type = from.start_to_start_type;
  return Graph(std::move(columns));
}

}  // namespace orrery::graph
