#include "graph/derivatives.h"

namespace orrery::graph {

Derivatives::Derivatives(const Solution& solution)
    : path_(solution.path()), nodes_(solution.graph().node_count()), slots_(solution.slot_count()) {
  for (const NodeId node : path_.nodes) nodes_[node] = true;
  for (const Slot slot : path_.slots) slots_[slot] = true;
}

}  // namespace orrery::graph
