// The order in which a program issues its activities: what "the i-th" means wherever activities of several ranks are
// matched.
#pragma once

#include "base/column.h"
#include "graph/graph.h"

namespace orrery::workload {

/// Activities such that each comes after those it depends on; of those that may come next, always the smallest. So the
/// order of the ids, unless dependencies run against them. O(n), and O(n log n) where they do.
Column<graph::NodeId> program_order(const graph::Graph& dependencies);

}  // namespace orrery::workload
