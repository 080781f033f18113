// A workload in time without a machine: every activity takes as long as it was recorded to take, and starts as soon as
// what it depends on has ended. Nothing else holds it up: threads and streams are kept in order by the dependencies or
// not at all.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::simulate {

struct ReplayOptions {
  bool rendezvous =
      true;  ///< collectives and messages wait for their partners on other ranks; else every rank is on its own
  std::int64_t eager_limit_bytes = 64 * 1024;  ///< sends up to this size do not wait for their recv; -1: all do
};

/// Time 0 is the start of the earliest rank. With recorded starts, a rank begins at the recorded start of its first
/// activity.
///
/// A collective that waits for its partners takes, once the last has come, as long as the shortest of the recorded
/// durations: the others were waiting too. So does a message, whose send ends with it unless it is eager: then it takes
/// its own time. Durations of 0 were not recorded and do not count. Who belongs together is what the engine says
/// (simulate/engine/engine.h), but collectives of a communicator do not queue up.
///
/// An Error names who waits for whom if the ranks block one another, what has no partner, and what ends after more than
/// 26 days. O(activities + dependencies), and for messages O(n log n).
Result<Schedule> replay(const workload::Workload& workload, const ReplayOptions& options = {});

/// From the first recorded start to the last recorded end of a rank; 0 if starts were not recorded.
TimePs recorded_span(const workload::Program& program);

/// The first recorded start; workload::kNotRecorded if there is none.
TimePs recorded_begin(const workload::Program& program);

/// Whether any activity has a recorded duration. Without one there is nothing to replay.
bool has_durations(const workload::Workload& workload);

}  // namespace orrery::simulate
