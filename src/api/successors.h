// Which nodes wait for a node, as two arrays: what a feeder walks when a node is completed.
#pragma once

#include <cstdint>
#include <span>

#include "base/column.h"
#include "graph/graph.h"

namespace orrery::api {

struct Successors {
  Column<std::uint32_t> first;    ///< per node: where its successors begin; then their number
  Column<std::uint32_t> targets;  ///< nodes, source by source
  Column<std::uint32_t> counts;   ///< per node: dependencies that count

  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const {
    return {targets.data() + first[node], first[node + 1] - first[node]};
  }
};

/// Of all dependencies, or of data dependencies alone. O(nodes + edges).
Successors make_successors(const graph::Graph& graph, bool data_only);

}  // namespace orrery::api
