#include "analyze/typical_replay.h"

#include <algorithm>

#include "graph/edits.h"
#include "graph/longest_path.h"

namespace orrery::analyze {

TimePs typical_replay(const link::StepGraph& step) {
  using link::EdgeKind;
  graph::Edits edits(step.graph);
  for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
    const EdgeKind kind = step.kind(slot);
    if (kind == EdgeKind::launch_delay) edits.set_weight(slot, std::min(step.graph.weight(slot), step.typical_launch_delay));
    else if (kind == EdgeKind::kernel_gap || kind == EdgeKind::stream_wait)
      edits.set_weight(slot, std::min(step.graph.weight(slot), step.typical_kernel_gap));
    else if (link::is_idle(kind)) edits.set_weight(slot, 0);
  }
  return graph::solve(edits, step.end).length();
}

}  // namespace orrery::analyze
