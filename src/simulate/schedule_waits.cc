#include "simulate/schedule_waits.h"

#include <algorithm>

namespace orrery::simulate {
namespace {

class WaitSummer {
 public:
  WaitSummer(Causes& causes, const JobPlan& plan, const Schedule& schedule) : causes_(causes), plan_(plan) {
    executed_ = schedule.ranks_with_activities(plan.workload().rank_count());
    members_.resize(executed_.size());
    for (std::uint32_t rank = 0; rank < plan.workload().rank_count(); ++rank)
      members_[schedule.class_of_rank.empty() ? rank : schedule.class_of_rank[rank]].push_back(rank);
  }

  WaitSums make() {
    for (std::uint32_t c = 0; c < executed_.size(); ++c) {
      for (std::uint32_t i = 0; i < plan_.of_rank(executed_[c]).size(); ++i) {
        add_start(c, {executed_[c], i});
        add_arrival(c, {executed_[c], i});
      }
    }
    return std::move(sums_);
  }

 private:
  void add_start(std::uint32_t rank_class, ActivityPlace place) {
    const Cause cause = causes_.of_start(place);
    const bool follows = cause.kind == CauseKind::dependency || cause.kind == CauseKind::start;
    const TimePs waited = follows ? 0 : causes_.start_of(place) - causes_.ready_of(place);
    sums_.add(WaitKind::of(cause.kind, plan_.workload().program(place.rank), place.activity), waited,
              members_[rank_class].size());
  }

  void add_arrival(std::uint32_t rank_class, ActivityPlace place) {
    const ActivityPlace last = causes_.last_arrival(place);
    if (last == place) return;
    const bool is_collective = plan_.of_rank(place.rank).activities[place.activity].resource == Resource::collective;
    // A message moves from when its eager send has ended.
    const bool from_end = !is_collective && causes_.is_eager(place) && !plan_.is_replay;
    const TimePs waited = (from_end ? causes_.end_of(last) : causes_.start_of(last)) - causes_.start_of(place);
    if (waited <= 0) return;
    const std::vector<std::uint32_t>& members = members_[rank_class];
    sums_.add(WaitKind::of(CauseKind::last_arrival, plan_.workload().program(place.rank), place.activity), waited,
              members.size());
    if (members.size() == 1) return sums_.add_late(last.rank, waited);
    const std::uint32_t line = plan_.matching.place(place.rank, place.activity).line;
    sums_.add_late({rank_class, is_collective, line, causes_.last_place(place)}, waited, [&] {
      std::vector<std::uint32_t> late;
      late.reserve(members.size());
      for (const std::uint32_t rank : members) late.push_back(causes_.last_arrival({rank, place.activity}).rank);
      return late;
    });
  }

  Causes& causes_;
  const JobPlan& plan_;
  std::vector<std::uint32_t> executed_;              // per class
  std::vector<std::vector<std::uint32_t>> members_;  // per class
  WaitSums sums_;
};

}  // namespace

WaitSums sum_waits(Causes& causes, const JobPlan& plan, const Schedule& schedule) {
  return WaitSummer(causes, plan, schedule).make();
}

}  // namespace orrery::simulate
