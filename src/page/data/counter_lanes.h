// Counters of a trace as lanes of the page: clocks, power, temperatures over time, in a bounded number of points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "page/data/event_table.h"
#include "page/sections/section.h"
#include "trace/trace.h"

namespace orrery::page {

struct CounterPoint {
  TimePs time = 0;
  double value = 0;  ///< until the next one
};

/// One counter. Its points lie within the times of the events: what held before stands at their beginning.
struct CounterLane {
  std::uint32_t rank = 0;    ///< place in Trace::ranks
  std::int64_t device = -1;  ///< that it was measured of; -1: of none
  std::string name, unit;
  double least = 0, most = 0;  ///< of its points
  std::vector<CounterPoint> points;
};

/// By rank, device (none first) and name. Values that are no numbers, and counters without a value in the time of the
/// events, are left out.
std::vector<CounterLane> counter_lanes(const trace::Trace& trace, const EventTable& events);

/// At most `most` (>= 4) of the points: the first, the last, and the least and the largest of equal intervals of time.
std::vector<CounterPoint> fewer_points(std::span<const CounterPoint> points, std::size_t most);

/// ct.time and ct.value of a rank's counters, one counter after the other; none if it has no counters.
std::vector<EncodedColumn> counter_columns(std::span<const CounterLane> lanes, std::uint32_t rank,
                                           const EventTable& events);

}  // namespace orrery::page
