#include "link/program_replay.h"

#include <algorithm>

namespace orrery::link {

ProgramReplay replay_alone(const workload::Program& program) {
  ProgramReplay replay;
  replay.start.assign(program.size(), 0);
  const graph::Graph& graph = program.dependencies;
  for (graph::Position p = 0; p < graph.node_count(); ++p) {
    const graph::NodeId node = graph.node_at(p);
    TimePs start = 0;
    for (const graph::Slot slot : graph.incoming(node)) {
      const graph::NodeId from = graph.source(slot);
      const bool waits_for_start = static_cast<workload::Dependency>(graph.type(slot)) == workload::Dependency::start;
      start = std::max(start, replay.start[from] + (waits_for_start ? 0 : program.durations_ps[from]));
    }
    replay.start[node] = start;
    replay.span = std::max(replay.span, start + program.durations_ps[node]);
  }
  return replay;
}

}  // namespace orrery::link
