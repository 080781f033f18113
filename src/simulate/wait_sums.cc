#include "simulate/wait_sums.h"

#include <algorithm>

namespace orrery::simulate {

WaitKind WaitKind::of(CauseKind cause, const workload::Program& program, std::size_t activity) {
  WaitKind kind{cause, program.kinds[activity]};
  if (kind.kind == workload::ActivityKind::collective) kind.collective = program.collectives[activity];
  return kind;
}

void WaitSum::add(TimePs waited, std::uint64_t count) {
  activities += count;
  waited_ps += static_cast<Int128>(count) * waited;
  longest_ps = std::max(longest_ps, waited);
}

std::map<std::uint32_t, WaitSum> WaitSums::late_ranks() const {
  std::map<std::uint32_t, WaitSum> all = late_;
  for (const auto& [key, late] : late_of_classes_) {
    for (const std::uint32_t rank : late.ranks) {
      WaitSum& sum = all[rank];
      sum.activities += late.sum.activities;
      sum.waited_ps += late.sum.waited_ps;
      sum.longest_ps = std::max(sum.longest_ps, late.sum.longest_ps);
    }
  }
  return all;
}

}  // namespace orrery::simulate
