#include "simulate/summed_schedule.h"

#include <utility>

namespace orrery::simulate {

Status SummedSchedule::begin(const RunLayout& layout) {
  layout_.emplace(layout);
  ranks_of_class_.clear();
  communicators_of_bundle_.clear();
  for (const auto& members : layout.classes.members) ranks_of_class_.push_back(members.size());
  for (const Bundle& bundle : layout.bundles.all) communicators_of_bundle_.push_back(bundle.communicators.size());
  collectives_ = CollectiveSums();
  waits_ = WaitSums();
  activities_ = 0;
  parts_.clear();
  return {};
}

void SummedSchedule::add(const Sums& sums, std::uint64_t times) {
  collectives_.add(sums.collectives, times);
  activities_ += sums.activities * times;
}

void SummedSchedule::begin_part(TimePs /*now*/) {
  before_part_ = {std::exchange(collectives_, CollectiveSums()), std::exchange(activities_, 0)};
}

std::size_t SummedSchedule::end_part(bool keep) {
  Sums part{std::exchange(collectives_, CollectiveSums()), std::exchange(activities_, 0)};
  add(before_part_, 1);
  add(part, 1);
  if (keep) parts_.push_back(std::move(part));
  return parts_.size() - (keep ? 1 : 0);
}

void SummedSchedule::start_explained(const ExecutedActivity& activity, const StartCause& cause, TimePs now) {
  waits_.add(WaitKind::of(cause.kind, *activity.program, activity.activity), now - cause.ready_ps,
             ranks_of_class_[activity.rank_class]);
}

void SummedSchedule::last_arrival_known(const ExecutedActivity& activity, const LastArrival& last) {
  if (last.waited_ps() == 0) return;
  const WaitKind kind = WaitKind::of(CauseKind::last_arrival, *activity.program, activity.activity);
  waits_.add(kind, last.waited_ps(), ranks_of_class_[activity.rank_class]);
  const bool is_collective = kind.kind == workload::ActivityKind::collective;
  const std::vector<std::uint32_t>& members = layout_->classes.members[activity.rank_class];
  if (members.size() == 1) return waits_.add_late(last.rank, last.waited_ps());
  waits_.add_late({activity.rank_class, is_collective, last.line, last.place}, last.waited_ps(), [&] {
    const workload::Membership& membership = layout_->membership;
    std::vector<std::uint32_t> late;
    late.reserve(members.size());
    for (const std::uint32_t rank : members) {
      late.push_back(is_collective
                         ? membership.communicators()[membership.communicator_number(rank, last.line)].ranks[last.place]
                         : membership.peer(rank, membership.structure(rank).channels[last.line]));
    }
    return late;
  });
}

}  // namespace orrery::simulate
