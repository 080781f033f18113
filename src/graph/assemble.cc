#include "graph/assemble.h"

#include <algorithm>
#include <string>

namespace orrery::graph {

Status EdgeSurvey::check() const {
  if (edges > kMaxCount) return too_many();
  if (refused != kNone) return out_of_range("edge " + std::to_string(refused) + " has a weight", refused_weight);
  return {};
}

RowFiller::RowFiller(GraphColumns& columns, const EdgeSurvey& survey)
    : columns_(columns), types_(survey.edges), tags_(survey.edges) {
  const std::size_t nodes = survey.incoming.size();
  if (!columns.nodes.empty()) {
    columns.positions = Column<Position>(nodes);
    for (Position p = 0; p < nodes; ++p) columns.positions[columns.nodes[p]] = p;
  }
  columns.rows = Column<Slot>(nodes + 1);
  columns.rows[0] = 0;
  for (std::size_t p = 0; p < nodes; ++p)
    columns.rows[p + 1] = columns.rows[p] + survey.incoming[columns.nodes.empty() ? p : columns.nodes[p]];
  next_ = Column<Slot>(nodes);
  std::copy_n(columns.rows.begin(), nodes, next_.begin());
  columns.sources = Column<Position>(survey.edges);
  columns.weights = Column<TimePs>(survey.edges);
}

void RowFiller::finish() {
  if (has_types_) columns_.types = OptionalColumn<std::uint8_t>(std::move(types_));
  if (has_tags_) columns_.edge_tags = OptionalColumn<std::uint32_t, kNoTag>(std::move(tags_));
}

}  // namespace orrery::graph
