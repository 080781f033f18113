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

}  // namespace orrery::simulate
