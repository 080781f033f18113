// One rank's program in time, alone: every activity takes as long as it was recorded to take, and starts as soon as it may. Collectives and
// messages wait for nobody.
#pragma once

#include <optional>
#include <span>

#include "base/column.h"
#include "base/result.h"
#include "graph/graph.h"
#include "workload/workload.h"

namespace orrery::workload {

/// Fills when each activity starts and ends; what waits for nothing starts at `begin`. One pass in topological order, O(activities +
/// dependencies). Returns the first activity that would end after `latest`, if one does: what comes after it is then not filled in.
std::optional<graph::NodeId> replay_alone(const Program& program, TimePs begin, TimePs latest, std::span<TimePs> starts,
                                          std::span<TimePs> ends);

struct ProgramReplay {
  Column<TimePs> start;  ///< per activity; 0 is when the first ones start
  TimePs span = 0;       ///< when the last one ends
};

/// From 0 on. Durations must add up to less than the range of TimePs.
ProgramReplay replay_alone(const Program& program);

/// The program as a Graph with its durations, so that everything that is asked of graphs can be asked of it: solve() finishes activities when
/// replay_alone() does, slack and derivatives say what they are worth, Edits change them. Node i is activity i. An edge for which the start is
/// enough has the weight -duration of its source. An Error for a duration beyond graph::kMaxWeightPs.
Result<graph::Graph> timed_graph(const Program& program);

}  // namespace orrery::workload
