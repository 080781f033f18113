// What the collectives of a run add up to, by kind and size: a few rows, however many there were.
#pragma once

#include <cstdint>
#include <map>

#include "base/int128.h"
#include "base/units.h"
#include "simulate/schedule.h"

namespace orrery::simulate {

/// Collectives of one kind, group size and size.
struct CollectiveKind {
  workload::Collective kind = workload::Collective::all_reduce;
  std::uint32_t ranks = 0;
  std::int64_t bytes = 0;

  auto operator<=>(const CollectiveKind&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 in it
};

struct CollectiveSum {
  std::uint64_t calls = 0;
  Int128 waited_ps = 0;  ///< from the first arrival to the last
  Int128 moved_ps = 0;   ///< from the last arrival to the end
  double slowest_bus_bytes_per_second = 0;

  /// Rounded down.
  [[nodiscard]] TimePs mean_wait_ps() const { return static_cast<TimePs>(waited_ps / static_cast<Int128>(calls)); }
  [[nodiscard]] TimePs mean_time_ps() const { return static_cast<TimePs>(moved_ps / static_cast<Int128>(calls)); }
};

class CollectiveSums {
 public:
  /// `instances`: how many groups did the same at the same time.
  void add(const CollectiveUse& use, std::uint64_t instances);
  /// All that was added to `other`, `times` times.
  void add(const CollectiveSums& other, std::uint64_t times);
  [[nodiscard]] const std::map<CollectiveKind, CollectiveSum>& rows() const { return rows_; }

 private:
  std::map<CollectiveKind, CollectiveSum> rows_;
};

}  // namespace orrery::simulate
