// Which nodes wait for a node, what a feeder walks when a node is completed.
#pragma once

#include <cstdint>
#include <span>

#include "base/column.h"
#include "base/sparse_rows.h"
#include "graph/graph.h"

namespace orrery::api {

struct Successors {
  SparseRows<std::uint32_t> targets;  ///< nodes, by source
  Column<std::uint32_t> counts;       ///< per node: dependencies that count

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const { return targets[node]; }
};

/// Of all dependencies, or of data dependencies alone. O(nodes + edges).
Successors make_successors(const graph::Graph& graph, bool data_only);

}  // namespace orrery::api
