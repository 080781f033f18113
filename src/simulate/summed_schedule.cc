#include "simulate/summed_schedule.h"

#include <algorithm>
#include <utility>

// Times are added up by class of ranks and name while the run goes on. A part (some steps that repeat) can be kept and
// added many times, which is how long runs are shortened. Sums of waiting are in 128 bits, since times, instances and
// ranks multiply.

namespace orrery::simulate {

void PhaseSums::begin(std::vector<std::uint64_t> ranks_of_class) {
  ranks_of_class_ = std::move(ranks_of_class);
  until_.assign(ranks_of_class_.size(), 0);
  // A table of 64 names for each class is 4 MB here, and would be 256 MB for a million classes: large jobs get 8.
  constexpr std::size_t kManyClasses = 16384;
  recent_per_class_ = ranks_of_class_.size() <= kManyClasses ? 64 : 8;
  recent_.assign(ranks_of_class_.size() * recent_per_class_, kNone);
}

std::uint32_t PhaseSums::find(std::uint32_t rank_class, StringId name) {
  const auto [place, is_new] =
      places_.try_emplace(std::uint64_t{rank_class} << 32 | name, static_cast<std::uint32_t>(spent_.size()));
  if (is_new) spent_.push_back({.rank_class = rank_class, .name = name});
  return place->second;
}

void PhaseSums::ended(std::uint32_t rank_class, StringId name, TimePs now) {
  // The last place of each name modulo a small number is remembered, which saves the lookup nearly always.
  std::uint32_t& place = recent_[std::size_t{rank_class} * recent_per_class_ + name % recent_per_class_];
  if (place == kNone || spent_[place].name != name) place = find(rank_class, name);
  Spent& spent = spent_[place];
  spent.time += now - until_[rank_class];
  ++spent.activities;
  until_[rank_class] = now;
}

void PhaseSums::add(std::span<const Spent> spent, std::uint64_t times) {
  for (const Spent& other : spent) {
    Spent& own = spent_[find(other.rank_class, other.name)];
    own.time += other.time * static_cast<TimePs>(times);
    own.activities += other.activities * times;
  }
}

std::map<StringId, PhaseSum> PhaseSums::sums() const {
  std::map<StringId, PhaseSum> sums;
  for (const Spent& spent : spent_) {
    const std::uint64_t ranks = ranks_of_class_[spent.rank_class];
    PhaseSum& sum = sums[spent.name];
    sum.all_ps += spent.time * static_cast<TimePs>(ranks);
    sum.longest_ps = std::max(sum.longest_ps, spent.time);
    sum.activities += spent.activities * ranks;
  }
  return sums;
}

std::size_t PhasedSchedule::end_part(bool keep) {
  // The part was summed up for itself; now it joins what came before.
  const PhaseSums part = std::exchange(phases_, std::exchange(before_part_, PhaseSums()));
  phases_.add(part.spent(), 1);
  // The next part goes on at the times where this one ended.
  phases_.continue_from(part);
  if (keep) parts_.push_back(part.spent());
  return SummedSchedule::end_part(keep);
}

PhaseSums PhaseSums::of(const workload::Workload& workload, const Schedule& schedule) {
  PhaseSums sums;
  sums.begin(std::vector<std::uint64_t>(workload.rank_count(), 1));
  std::vector<std::pair<TimePs, std::uint32_t>> ends;
  std::size_t first = 0;
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    ends.clear();
    for (std::uint32_t i = 0; i < program.size(); ++i) ends.emplace_back(schedule.end_ps[first + i], i);
    // Ends that fall together are taken in the order of the program.
    std::sort(ends.begin(), ends.end());
    for (const auto& [end, activity] : ends) sums.ended(rank, program.names[activity], end);
    first += program.size();
  }
  return sums;
}

void CollectiveSums::add(const CollectiveUse& use, std::uint64_t instances) {
  CollectiveSum& sum = rows_[{use.kind, use.ranks, use.bytes}];
  const double rate = bus_bytes_per_second(use);
  sum.slowest_bus_bytes_per_second = sum.calls == 0 ? rate : std::min(sum.slowest_bus_bytes_per_second, rate);
  sum.calls += instances;
  sum.waited_ps += static_cast<Int128>(instances) * (use.last_arrival_ps - use.first_arrival_ps);
  sum.moved_ps += static_cast<Int128>(instances) * (use.end_ps - use.last_arrival_ps);
}

void CollectiveSums::add(const CollectiveSums& other, std::uint64_t times) {
  for (const auto& [kind, row] : other.rows_) {
    CollectiveSum& sum = rows_[kind];
    const double slowest = row.slowest_bus_bytes_per_second;
    sum.slowest_bus_bytes_per_second = sum.calls == 0 ? slowest : std::min(sum.slowest_bus_bytes_per_second, slowest);
    sum.calls += row.calls * times;
    sum.waited_ps += row.waited_ps * static_cast<Int128>(times);
    sum.moved_ps += row.moved_ps * static_cast<Int128>(times);
  }
}

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
  // Nobody waited: nothing to blame.
  if (last.waited_ps() == 0) return;
  const WaitKind kind = WaitKind::of(CauseKind::last_arrival, *activity.program, activity.activity);
  waits_.add(kind, last.waited_ps(), ranks_of_class_[activity.rank_class]);
  const bool is_collective = kind.kind == workload::ActivityKind::collective;
  const std::vector<std::uint32_t>& members = layout_->classes.members[activity.rank_class];
  // One rank alone needs no list of those who were late.
  if (members.size() == 1) return waits_.add_late(last.rank, last.waited_ps());
  // The ranks of a class wait for different ranks; who they are is found out once per line and place.
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
