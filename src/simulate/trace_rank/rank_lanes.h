// Which lane of the timeline each activity of a rank goes to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/engine/program_plan.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate {

struct RankLanes {
  std::vector<std::uint32_t> order;    ///< the rank's activities by start, each after those it depends on
  std::vector<std::uint32_t> lane_of;  ///< per activity: into `names`; of delays of no meaning
  std::vector<std::string> names;      ///< "host" first, whether or not anything runs there
  std::vector<bool> is_host;           ///< per lane

  [[nodiscard]] bool on_host(std::uint32_t activity) const { return is_host[lane_of[activity]]; }
};

/// Activities of a kind that overlap go to different lanes: each to the one that became free last, since that is the
/// slot it waited for. `first` is the rank's first activity in the schedule. Delays (`is_delay`, of workload/delays.h)
/// are on no lane.
RankLanes assign_lanes(const workload::Workload& workload, const workload::Program& program, const ProgramPlan& plan,
                       const Schedule& schedule, std::uint64_t first, const Column<std::uint8_t>& is_delay);

}  // namespace orrery::simulate
