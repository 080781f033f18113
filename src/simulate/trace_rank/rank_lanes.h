// Which lane of the timeline each activity of a rank goes to.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/column.h"
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

// What an activity comes after, with delays seen through: a kernel that comes after a launch delay comes after the host
// operator before that.

class EffectiveSources {
 public:
  /// `is_delay`: of workload/delays.h. Of what a delay comes after, one per lane is enough: the last. O(edges + delays
  /// times lanes). Program and `is_delay` must outlive this.
  EffectiveSources(const workload::Program& program, const RankLanes& lanes, const Column<std::uint8_t>& is_delay);

  [[nodiscard]] bool is_delay(std::uint32_t activity) const { return is_delay_[activity] != 0; }

  /// Calls `use(source)` for what `activity` comes after; none is a delay, some may come twice.
  template <typename Use>
  void for_each(std::uint32_t activity, const Use& use) const {
    for (const graph::Slot slot : program_.dependencies.incoming(activity)) {
      const std::uint32_t source = program_.dependencies.source(slot);
      if (!is_delay(source)) {
        use(source);
        continue;
      }
      for (const std::uint32_t through : through_.at(source)) use(through);
    }
  }

 private:
  const workload::Program& program_;
  const Column<std::uint8_t>& is_delay_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> through_;  // by delay; only looked up
};

}  // namespace orrery::simulate
