// Why a simulated run took as long as it did: its critical path across ranks, what it reacts to, and what activities
// waited for.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "simulate/causes.h"
#include "simulate/schedule.h"
#include "simulate/wait_sums.h"
#include "workload/workload.h"

namespace orrery::analyze {

/// How much shorter everything of a sort is taken to be.
inline constexpr int kLessPercent = 10;

/// What the makespan has to do with everything of one sort: in the Graph of the run (simulate/schedule_graph.h), in
/// which durations can be edited.
struct Reaction {
  std::string what;   ///< "compute", "host compute", "memory", "all_reduce", ..., "messages"; "begin": starts that
                      ///< nothing in the run explains
  std::string group;  ///< of collectives: the role or group, "all ranks"; "8 groups of 4": all of them together, where
                      ///< each alone hides behind the others
  std::uint64_t pieces = 0;  ///< on the longest path
  TimePs on_path_ps =
      0;  ///< the derivative of the makespan with respect to scaling the sort: 1 % less saves 1 % of this, at first
  TimePs least_slack_ps = 0;  ///< how much longer its least patient member could take without any effect
  TimePs less_makespan_ps =
      0;  ///< the makespan if each of the sort took kLessPercent less, rounded up: solved again, exact for that Graph
};

struct ReasonsAsked {
  bool path = false;   ///< and what the run reacts to
  bool waits = false;  ///< and for whom
};

struct ScheduleReasons {
  std::vector<simulate::PathPiece> path;
  std::vector<Reaction> reactions;  ///< most on the path first, then the greatest gain
  simulate::WaitSums waits;
};

/// Of a schedule with its activities: of a job that was made in windows, `workload` is all of them (workload::collect).
/// What the makespan reacts to needs a Graph of all activities: where that would take more than `most_graph_bytes`, or
/// does not explain the times, a diagnostic says so instead.
Result<ScheduleReasons> find_reasons(const workload::Workload& workload, const simulate::Schedule& schedule,
                                     ReasonsAsked asked, Diagnostics& diagnostics,
                                     std::uint64_t most_graph_bytes = std::uint64_t{4} << 30);

}  // namespace orrery::analyze
