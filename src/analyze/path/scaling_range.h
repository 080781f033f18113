// How far a derivative can be trusted: what scaling all time of some kinds does to the length of the longest path, and
// until where it goes on so.
#pragma once

#include <cstdint>

#include "graph/graph.h"
#include "graph/parametric.h"

namespace orrery::analyze {

/// All edges of some kinds take f times as long. Down to f = 1 - less.end, and up to f = 1 + more.end, the length goes
/// along a straight line.
struct ScalingRange {
  struct Side {
    TimePs change = 0;  ///< of the length if everything of these kinds went (or took twice the time) and the path
                        ///< stayed: what a hundredth of it is per 1 %
    graph::Lambda end;  ///< how far it goes on so, of the way to 0 (or to 2)
  };
  Side less;  ///< towards 0: change is never above 0
  Side more;  ///< towards 2
};

/// `kinds`: bit per causal::EdgeKind, which edge types of the graph are. Exact but for the rounding of single edges. A
/// handful of solves for each side.
ScalingRange scaling_range(const graph::Graph& graph, graph::NodeId end, std::uint32_t kinds);

}  // namespace orrery::analyze
