#include "simulate/collective_sums.h"

#include <algorithm>

namespace orrery::simulate {

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

}  // namespace orrery::simulate
