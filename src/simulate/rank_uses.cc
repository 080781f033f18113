#include "simulate/rank_uses.h"

#include <algorithm>
#include <vector>

#include "workload/delays.h"

namespace orrery::simulate {
namespace {

/// An activity begins or ends: by how much the number of computing or communicating ones changes.
struct Change {
  TimePs time;
  std::int32_t computing;
  std::int32_t communicating;
};

RankUse use_of(std::vector<Change>& changes, TimePs finish) {
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  RankUse use;
  use.finish_ps = finish;
  TimePs since = 0;
  std::int32_t computing = 0, communicating = 0;
  for (const Change& change : changes) {
    const TimePs length = change.time - since;
    if (computing > 0) use.compute_ps += length;
    if (communicating > 0) use.communication_ps += length;
    if (communicating > 0 && computing == 0) use.exposed_ps += length;
    since = change.time;
    computing += change.computing;
    communicating += change.communicating;
  }
  return use;
}

/// Which activities of a program compute.
class Computing {
 public:
  Computing(const workload::Workload& workload, const workload::Program& program, bool host_computes)
      : program_(program), is_delay_(workload::find_delays(program, workload.strings)), by_host_(host_computes) {
    for (std::size_t i = 0; i < program.size() && by_host_; ++i) by_host_ = !is_device_compute(i);
  }

  [[nodiscard]] bool computes(std::size_t i) const {
    if (!by_host_) return is_device_compute(i);
    return program_.kinds[i] == workload::ActivityKind::compute && is_delay_[i] == 0;
  }

 private:
  [[nodiscard]] bool is_device_compute(std::size_t i) const {
    return program_.kinds[i] == workload::ActivityKind::compute && is_delay_[i] == 0 &&
           !program_.has(i, workload::activity::kOnHost);
  }

  const workload::Program& program_;
  Column<std::uint8_t> is_delay_;
  bool by_host_;
};

}  // namespace

Column<RankUse> rank_uses(const workload::Workload& workload, const Schedule& schedule, bool host_computes) {
  using workload::ActivityKind;
  Column<RankUse> uses;
  std::vector<Change> changes;
  std::size_t number = 0;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    const Computing computing(workload, program, host_computes);
    changes.clear();
    TimePs finish = 0;
    for (std::size_t i = 0; i < program.size(); ++i, ++number) {
      const ActivityKind kind = program.kinds[i];
      const std::int32_t computes = computing.computes(i) ? 1 : 0;
      const std::int32_t communicates =
          kind == ActivityKind::send || kind == ActivityKind::recv || kind == ActivityKind::collective ? 1 : 0;
      finish = std::max(finish, schedule.end_ps[number]);
      if (computes + communicates == 0) continue;
      changes.push_back({schedule.start_ps[number], computes, communicates});
      changes.push_back({schedule.end_ps[number], -computes, -communicates});
    }
    uses.push_back(use_of(changes, finish));
  }
  return uses;
}

}  // namespace orrery::simulate
