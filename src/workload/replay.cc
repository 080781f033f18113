#include "workload/replay.h"

#include <algorithm>
#include <limits>

#include "graph/builder.h"

namespace orrery::workload {
namespace {

bool waits_for_start(const graph::Graph& graph, graph::Slot slot) { return static_cast<Dependency>(graph.type(slot)) == Dependency::start; }

}  // namespace

std::optional<graph::NodeId> replay_alone(const Program& program, TimePs begin, TimePs latest, std::span<TimePs> starts,
                                          std::span<TimePs> ends) {
  const graph::Graph& graph = program.dependencies;
  for (graph::Position position = 0; position < graph.node_count(); ++position) {
    const graph::NodeId i = graph.node_at(position);
    TimePs start = begin;
    for (const graph::Slot slot : graph.incoming_at(position)) {
      const graph::NodeId source = graph.source(slot);
      start = std::max(start, waits_for_start(graph, slot) ? starts[source] : ends[source]);
    }
    if (program.durations_ps[i] > latest - start) return i;
    starts[i] = start;
    ends[i] = start + program.durations_ps[i];
  }
  return std::nullopt;
}

ProgramReplay replay_alone(const Program& program) {
  ProgramReplay replay;
  replay.start.assign(program.size(), 0);
  Column<TimePs> ends(program.size(), 0);
  replay_alone(program, 0, std::numeric_limits<TimePs>::max(), {replay.start.data(), program.size()}, {ends.data(), program.size()});
  for (const TimePs end : ends) replay.span = std::max(replay.span, end);
  return replay;
}

Result<graph::Graph> timed_graph(const Program& program) {
  const graph::Graph& graph = program.dependencies;
  graph::GraphBuilder builder;
  builder.reserve(program.size(), graph.edge_count());
  for (std::size_t i = 0; i < program.size(); ++i) builder.add_node(program.durations_ps[i], static_cast<std::uint8_t>(program.kinds[i]));
  for (graph::EdgeId edge = 0; edge < graph.edge_count(); ++edge) {
    const graph::Slot slot = graph.slot_of_edge(edge);
    const TimePs weight = waits_for_start(graph, slot) ? -program.durations_ps[graph.source(slot)] : 0;
    builder.add_edge(graph.source(slot), graph.target(slot), graph.type(slot), weight);
  }
  return std::move(builder).build();
}

}  // namespace orrery::workload
