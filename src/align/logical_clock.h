// The last resort: clocks bent until nothing contradicts happens-before.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "match/causal_order.h"
#include "match/exchange.h"
#include "trace/clock.h"

namespace orrery::align {

using match::Exchanges;
using match::PartTimes;

/// What it cost a node.
struct LogicalShift {
  std::size_t jumps = 0;        ///< ends that had to be pushed
  TimePs largest_push_ps = 0;   ///< of a single end, beyond what earlier pushes left
  TimePs total_push_ps = 0;     ///< of all of them
  TimePs largest_shift_ps = 0;  ///< the most that any time of the node was moved, always forward
};

struct LogicalClock {
  std::vector<trace::Clock> warps;   ///< by node: times as they were -> times that contradict nothing
  std::vector<LogicalShift> shifts;  ///< by node
  std::size_t left_out = 0;  ///< collectives that contradict one another on these times: no clock can satisfy them
};

/// A controlled logical clock (Rabenseifner, 1997) per node, not per event: order and nesting stay. Forward, in causal
/// order: an end that comes before a start it has to wait for is pushed to it, and the clock goes on from there at 99.9
/// % of its rate until it is back. Backward: each jump is spread over the 20 ms before it, except that no start is
/// moved past an end that waits for it. `times` are those of the participations on the clock so far. Afterwards every
/// collective but those left out holds, by 8 ps or more: composing clocks rounds. That proves nothing about the times:
/// only that they were bent enough. The uncertainty of a warp is its shift. O(participations).
Result<LogicalClock> controlled_logical_clock(const Exchanges& exchanges, const PartTimes& times, std::uint32_t nodes);

}  // namespace orrery::align
