// A simulated run as a Graph across ranks, so that what is asked of measured steps can be asked of it: longest path, slack, edits.
#pragma once

#include <cstdint>

#include "base/column.h"
#include "base/result.h"
#include "graph/graph.h"
#include "simulate/causes.h"

namespace orrery::simulate {

/// The types of its edges. The first three are those of workload::Dependency.
enum class ScheduleEdge : std::uint8_t {
  data,
  control,
  start,    ///< start-to-start
  slot,     ///< the one before it had its slot
  turn,     ///< the collective before it on its communicator
  arrival,  ///< a collective or message moves when its last partner is ready
  begin,    ///< nothing in the schedule says why it did not start before: the weight is when it did
};

/// Node i is activity i of the schedule, and takes the time it took there. Of communication it is the arrival and takes no time: the transfer
/// is a node of its own, which takes the time from the last arrival on.
/// Solved, every activity starts and ends when it did in the schedule, to the picosecond. With edits, slots and turns stay with whom they
/// waited for, and a transfer takes what it took.
struct ScheduleGraph {
  graph::Graph graph;
  Column<graph::NodeId> end_nodes;  ///< by activity: the node that finishes when it ends
};

/// The arguments must belong together, as for critical_path(). O(activities + dependencies). An Error for more nodes than a graph holds.
Result<ScheduleGraph> schedule_graph(Causes& causes, const JobPlan& plan, const Schedule& schedule);

}  // namespace orrery::simulate
