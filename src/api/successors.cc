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
  const std::size_t nodes = graph.node_count();
  Successors successors{Column<std::uint32_t>(nodes + 2, 0), Column<std::uint32_t>(), Column<std::uint32_t>(nodes, 0)};
  Column<std::uint32_t>& first = successors.first;
  for_each_edge([&](graph::NodeId source, graph::NodeId target) {
    ++first[source + 2];
    ++successors.counts[target];
  });
  for (std::size_t i = 2; i < first.size(); ++i) first[i] += first[i - 1];
  // first[n + 1] now runs from the first successor of n to its last, which is where those of n + 1 begin.
  successors.targets.resize_uninitialized(first.back());
  for_each_edge([&](graph::NodeId source, graph::NodeId target) { successors.targets[first[source + 1]++] = target; });
  first.pop_back();
  return successors;
}

}  // namespace orrery::api
