// When packets happened: from time stamps on the clocks of their writers to the trace's picoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/units.h"
#include "formats/perfetto/clock_table.h"
#include "formats/perfetto/sequence.h"

namespace orrery::perfetto {

/// How clocks count, as their snapshots say.
using ClockUnits = std::map<ClockKey, ClockUnit>;

/// A ClockSnapshot of a sequence: its readings in nanoseconds, and how the clocks in it count.
std::vector<ClockTable::Reading> read_snapshot(std::string_view message, std::uint64_t sequence, ClockUnits& units);

class PacketTimes {
 public:
  PacketTimes(const ClockTable& clocks, const ClockUnits& units, Diagnostics& diagnostics)
      : clocks_(clocks), units_(units), diagnostics_(diagnostics) {}

  /// A time stamp of a packet. `clock`: the one that it names. None: too far from the first.
  std::optional<TimePs> time_of(Sequence& sequence, std::optional<std::uint64_t> clock, std::uint64_t timestamp);
  /// Nanoseconds of a clock that everybody knows.
  std::optional<TimePs> time_of(std::uint64_t clock, std::int64_t time_ns);
  /// Incremental clocks of the sequence count from these readings on.
  static void restart(Sequence& sequence, const std::vector<ClockTable::Reading>& readings);

  [[nodiscard]] std::int64_t epoch_unix_ns() const { return epoch_ns_; }

 private:
  [[nodiscard]] ClockUnit unit_of(ClockKey clock) const;
  std::optional<TimePs> since_epoch(std::int64_t common_ns);

  const ClockTable& clocks_;
  const ClockUnits& units_;
  Diagnostics& diagnostics_;
  bool has_epoch_ = false;
  std::int64_t epoch_ns_ = 0;  // a whole second at or before the first moment
};

}  // namespace orrery::perfetto
