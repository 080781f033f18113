// Perfetto's clocks: readings of several at one moment (snapshots), and what a reading of one is on another.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace orrery::perfetto {

inline constexpr std::uint64_t kRealtimeClock = 1, kMonotonicClock = 3, kBoottimeClock = 6;

/// Clocks 64 to 127 are known to the writer of their sequence alone; all others to everybody (sequence 0).
struct ClockKey {
  std::uint64_t sequence = 0;
  std::uint64_t id = 0;
  auto operator<=>(const ClockKey&) const = default;
};
inline ClockKey clock_key(std::uint64_t sequence, std::uint64_t id) {
  return {id >= 64 && id < 128 ? sequence : 0, id};
}

/// How a clock counts, as its last snapshot says.
struct ClockUnit {
  std::int64_t ns = 1;          ///< of one count
  bool is_incremental = false;  ///< time stamps are steps since the one before
};

class ClockTable {
 public:
  struct Reading {
    ClockKey clock;
    std::int64_t time_ns = 0;
  };

  /// Readings of one moment.
  void add_snapshot(const std::vector<Reading>& readings);
  /// To be called once, after the last snapshot: finds for each clock the way to REALTIME, or, if no snapshot has that
  /// one, to BOOTTIME.
  void finish();

  /// A reading on the common clock, by way of the snapshots nearest to it. None: nothing ties this clock to it.
  [[nodiscard]] std::optional<std::int64_t> to_common(ClockKey clock, std::int64_t time_ns) const;
  /// What is added to every reading, if it is the same for all: most traces have one snapshot.
  [[nodiscard]] std::optional<std::int64_t> constant_offset(ClockKey clock) const;

 private:
  struct Pair {
    std::int64_t from_ns, to_ns;
  };
  struct Route {
    ClockKey next;
    std::vector<Pair> pairs;  ///< readings of the clock and of the next at one moment, by time
  };

  /// A snapshot without a sequence speaks for all of them.
  [[nodiscard]] ClockKey told_clock(ClockKey clock) const {
    return clock.sequence != 0 && !routes_.contains(clock) ? ClockKey{0, clock.id} : clock;
  }

  std::vector<std::vector<Reading>> snapshots_;
  std::map<ClockKey, Route> routes_;  ///< of all but the common one
  ClockKey common_{0, kBoottimeClock};
};

}  // namespace orrery::perfetto
