#include "api/successors.h"

#include "workload/workload.h"

namespace orrery::api {

Successors make_successors(const graph::Graph& graph, bool data_only) {
  const auto for_each_edge = [&](const auto& take) {
    for (graph::Position position = 0; position < graph.node_count(); ++position) {
      const graph::NodeId target = graph.node_at(position);
      for (const graph::Slot slot : graph.incoming_at(position)) {
        if (!data_only || static_cast<workload::Dependency>(graph.type(slot)) == workload::Dependency::data)
          take(graph.source(slot), target);
      }
    }
  };
  Successors successors{group_by_row<std::uint32_t>(graph.node_count(), for_each_edge),
                        Column<std::uint32_t>(graph.node_count(), 0)};
  for (const std::uint32_t target : successors.targets.entries()) ++successors.counts[target];
  return successors;
}

}  // namespace orrery::api
