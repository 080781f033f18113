#include "workload/program_order.h"

#include <functional>
#include <queue>
#include <vector>

namespace orrery::workload {

Column<graph::NodeId> program_order(const graph::Graph& dependencies) {
  const graph::NodeId n = dependencies.node_count();
  Column<graph::NodeId> order;
  order.reserve(n);
  if (!dependencies.renumbered()) {  // every dependency has a smaller id
    for (graph::NodeId i = 0; i < n; ++i) order.push_back(i);
    return order;
  }
  std::priority_queue<graph::NodeId, std::vector<graph::NodeId>, std::greater<>> next;
  Column<std::uint32_t> waiting(n, 0);
  for (graph::NodeId i = 0; i < n; ++i) {
    waiting[i] = dependencies.incoming(i).size();
    if (waiting[i] == 0) next.push(i);
  }
  while (!next.empty()) {
    const graph::NodeId i = next.top();
    next.pop();
    order.push_back(i);
    for (const graph::OutgoingEdge& edge : dependencies.outgoing(i)) {
      const graph::NodeId target = dependencies.node_at(edge.target_position);
      if (--waiting[target] == 0) next.push(target);
    }
  }
  return order;
}

}  // namespace orrery::workload
