// Several what-ifs in one sweep: the rows are read once for up to eight of them.
#pragma once

#include <span>
#include <vector>

#include "graph/longest_path.h"

namespace orrery::graph {

/// What solve(edits, end) returns for each, bit for bit. All must be edits of the same graph. Solutions of one sweep share their memory:
/// 8 bytes per node and scenario, freed with the last of them.
std::vector<Solution> solve_many(std::span<const Edits> scenarios, NodeId end = kNoNode);

}  // namespace orrery::graph
