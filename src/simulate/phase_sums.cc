#include "simulate/phase_sums.h"

#include <algorithm>
#include <utility>

namespace orrery::simulate {

void PhaseSums::begin(std::vector<std::uint64_t> ranks_of_class) {
  ranks_of_class_ = std::move(ranks_of_class);
  until_.assign(ranks_of_class_.size(), 0);
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
  const PhaseSums part = std::exchange(phases_, std::exchange(before_part_, PhaseSums()));
  phases_.add(part.spent(), 1);
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
    std::sort(ends.begin(), ends.end());
    for (const auto& [end, activity] : ends) sums.ended(rank, program.names[activity], end);
    first += program.size();
  }
  return sums;
}

}  // namespace orrery::simulate
