#include "formats/perfetto/clock_table.h"

#include <algorithm>
#include <deque>
#include <set>

#include "base/int128.h"

// Snapshots tie clocks that were read together. From the common clock outwards, breadth first, each clock gets the
// neighbour through which it is nearest: so a clock that was never read together with REALTIME itself gets there by way
// of one that was.

namespace orrery::perfetto {

void ClockTable::add_snapshot(const std::vector<Reading>& readings) { snapshots_.push_back(readings); }

void ClockTable::finish() {
  const auto occurs = [&](ClockKey clock) {
    for (const auto& snapshot : snapshots_) {
      for (const Reading& reading : snapshot) {
        if (reading.clock == clock) return true;
      }
    }
    return false;
  };
  if (occurs({0, kRealtimeClock})) common_ = {0, kRealtimeClock};
  std::set<ClockKey> known{common_};
  std::deque<ClockKey> todo{common_};
  while (!todo.empty()) {
    const ClockKey to = todo.front();
    todo.pop_front();
    std::set<ClockKey> found;
    for (const auto& snapshot : snapshots_) {
      const auto target =
          std::find_if(snapshot.begin(), snapshot.end(), [&](const Reading& reading) { return reading.clock == to; });
      if (target == snapshot.end()) continue;
      for (const Reading& reading : snapshot) {
        if (known.contains(reading.clock)) continue;
        Route& route = routes_[reading.clock];
        route.next = to;
        route.pairs.push_back({reading.time_ns, target->time_ns});
        found.insert(reading.clock);
      }
    }
    for (const ClockKey clock : found) {
      known.insert(clock);
      todo.push_back(clock);
    }
  }
  for (auto& [clock, route] : routes_)
    std::stable_sort(route.pairs.begin(), route.pairs.end(),
                     [](const Pair& a, const Pair& b) { return a.from_ns < b.from_ns; });
  snapshots_.clear();
}

std::optional<std::int64_t> ClockTable::constant_offset(ClockKey clock) const {
  clock = told_clock(clock);
  Int128 offset = 0;
  while (clock != common_) {
    const auto route = routes_.find(clock);
    if (route == routes_.end() || route->second.pairs.size() != 1) return std::nullopt;
    offset += Int128{route->second.pairs.front().to_ns} - route->second.pairs.front().from_ns;
    clock = route->second.next;
  }
  // Beyond half the range sums with readings would not fit.
  constexpr Int128 kMost = INT64_MAX / 2;
  return offset > kMost || offset < -kMost ? std::nullopt : std::optional(static_cast<std::int64_t>(offset));
}

std::optional<std::int64_t> ClockTable::to_common(ClockKey clock, std::int64_t time_ns) const {
  clock = told_clock(clock);
  Int128 time = time_ns;
  while (clock != common_) {
    const auto route = routes_.find(clock);
    if (route == routes_.end()) return std::nullopt;
    const std::vector<Pair>& pairs = route->second.pairs;
    auto at =
        std::lower_bound(pairs.begin(), pairs.end(), time, [](const Pair& pair, Int128 t) { return pair.from_ns < t; });
    // Of two neighbours the nearer one, the earlier where both are as near.
    if (at == pairs.end() || (at != pairs.begin() && time - (at - 1)->from_ns <= at->from_ns - time)) --at;
    time += Int128{at->to_ns} - at->from_ns;
    clock = route->second.next;
  }
  constexpr Int128 kMost = INT64_MAX;
  return time > kMost || time < -kMost ? std::nullopt : std::optional(static_cast<std::int64_t>(time));
}

}  // namespace orrery::perfetto
