// When the collectives of a schedule began and ended, worked out from its activities.
#pragma once

#include <cstddef>
#include <vector>

#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate {

// What ranks did with their time, worked out from when their activities ran.

/// By rank. For simulators that do not count while they run. O(n log n) per rank.
/// `host_computes`: of a rank whose device computes nothing the operators of the host are its computation, as in a job
/// on CPUs. Delays and gaps (workload/delays.h) are not.
Column<RankUse> rank_uses(const workload::Workload& workload, const Schedule& schedule, bool host_computes = false);

/// The collectives of each group, put together from those who take part, one after the other. The first of them says
/// what it is; what the others do not agree on is left out.
class CollectiveUses {
 public:
  struct Group {
    std::size_t number = 0;  ///< below that of the constructor
    StringId name = 0;
    std::size_t ranks = 0;
  };

  explicit CollectiveUses(std::size_t groups) : of_group_(groups) {}
  /// The activity of a program is the collective at `place` among those of the group.
  void add(const Group& group, std::size_t place, const workload::Program& program, std::size_t activity, TimePs start,
           TimePs end);
  /// By group, then by place.
  [[nodiscard]] const std::vector<std::vector<CollectiveUse>>& of_group() const { return of_group_; }
  [[nodiscard]] Column<CollectiveUse> all() const;

 private:
  std::vector<std::vector<CollectiveUse>> of_group_;
};

/// By communicator (all ranks first, then Workload::groups in order), each in program order: the k-th collective of a
/// group on one rank belongs to the k-th on every other, as in workload/matching.h. For simulators that do not count
/// while they run. What ranks disagree on is left out. O(activities).
Column<CollectiveUse> collective_uses(const workload::Workload& workload, const Schedule& schedule);

}  // namespace orrery::simulate
