// What no graph can hold, in the words that whoever makes one says it with.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "graph/graph.h"

namespace orrery::graph {

inline constexpr std::size_t kMaxCount = kNoNode - 1;  ///< of nodes, and of edges

inline bool in_range(TimePs time) { return time >= -kMaxWeightPs && time <= kMaxWeightPs; }

inline Error too_many() { return {"the graph has more than 2^32 - 2 nodes or edges"}; }
/// `what`: "edge 7 has a weight", "node 3 has a duration".
inline Error out_of_range(const std::string& what, TimePs time) {
  return {what + " of " + std::to_string(time) + " ps, beyond the " + std::to_string(kMaxWeightPs) +
          " ps that a graph can hold"};
}

}  // namespace orrery::graph
