// A simulated run as a Graph across ranks, so that what is asked of measured steps can be asked of it: longest path,
// slack, edits.
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
  slot,     ///< the one before it in its slot
  turn,     ///< the collective before it on its communicator
  arrival,  ///< a collective or message moves when its last partner is ready
  begin,    ///< nothing in the schedule says why it did not start before: the weight is when it did
};

/// Node i is activity i of the schedule, and takes the time it took there. Of communication it is the arrival and takes
/// no time: the transfer is a node of its own, which takes the time from the last arrival on. All members of a
/// collective meet in a further node without duration, and the transfers of all begin there. Solved, every activity
/// starts and ends when it did in the schedule, to the picosecond. With edits a transfer takes what it took or is told
/// to take, and slots and communicators serve in the order in which they did. (That order is known where the engine
/// told causes; of the schedules of other simulators only who had to wait is tied to whom it waited for.)
struct ScheduleGraph {
  graph::Graph graph;
  Column<graph::NodeId> end_nodes;  ///< by activity: the node that finishes when it ends
};

/// About how much memory making and solving it takes. O(ranks).
std::uint64_t schedule_graph_bytes(const JobPlan& plan, const Schedule& schedule);

/// The arguments must belong together, as for critical_path(). O(activities + dependencies). An Error for more nodes
/// than a graph holds.
Result<ScheduleGraph> schedule_graph(Causes& causes, const JobPlan& plan, const Schedule& schedule);

}  // namespace orrery::simulate
