#include "simulate/phase_sums.h"

#include <algorithm>
#include <utility>

namespace orrery::simulate {

void PhaseSums::begin(std::vector<std::uint64_t> ranks_of_class) {
  ranks_of_class_ = std::move(ranks_of_class);
  until_.assign(ranks_of_class_.size(), 0);
}

void PhaseSums::ended(std::uint32_t rank_class, StringId name, TimePs now) {
  Spent& spent = spent_[std::uint64_t{rank_class} << 32 | name];
  spent.time += now - until_[rank_class];
  ++spent.activities;
  until_[rank_class] = now;
}

std::map<StringId, PhaseSum> PhaseSums::sums() const {
  std::map<StringId, PhaseSum> sums;
  for (const auto& [key, spent] : spent_) {
    const std::uint64_t ranks = ranks_of_class_[key >> 32];
    PhaseSum& sum = sums[static_cast<StringId>(key)];
    sum.all_ps += spent.time * static_cast<TimePs>(ranks);
    sum.longest_ps = std::max(sum.longest_ps, spent.time);
    sum.activities += spent.activities * ranks;
  }
  return sums;
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
