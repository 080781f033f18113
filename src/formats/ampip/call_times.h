// How much of a record's time is MPI's: the trace has the time since the call before, which contains the call; the
// report has the mean, the least and the most of each callsite.
#pragma once

#include <vector>

#include "base/units.h"

namespace orrery::ampip {

/// What a report says of one callsite on one rank.
struct TimeBounds {
  TimePs mean_ps = 0, min_ps = 0, max_ps = 0;
};

/// The time inside MPI of each call of a callsite, given its recorded deltas (at least 0): one level for all, but never
/// more than a call's own delta nor than the report's most, and never less than its least where the delta allows. The
/// level is such that the sum is the report's mean times the number of calls, or as near as the deltas let it be: level
/// = mean if no delta is shorter. O(n log n).
std::vector<TimePs> split_deltas(const std::vector<TimePs>& deltas, const TimeBounds& bounds);

}  // namespace orrery::ampip
