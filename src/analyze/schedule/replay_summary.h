// What a replay shows: how close it comes to the recording, rank by rank, what threads and streams do, and where it
// departs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simulate/schedule.h"
#include "workload/lane_names.h"
#include "workload/workload.h"

namespace orrery::analyze {

/// What happens on one thread or stream.
struct LaneUse {
  using Kind = workload::LaneKind;
  Kind kind = Kind::thread;
  std::int32_t number = 0;     ///< of a thread or stream
  std::size_t activities = 0;  ///< that take time
  TimePs busy_ps = 0;          ///< time in which any of them runs

  friend bool operator==(const LaneUse&, const LaneUse&) = default;
};

struct RankReplay {
  TimePs begin_ps = 0;         ///< of its first activity
  TimePs replayed_ps = 0;      ///< from there to the end of its last
  TimePs recorded_ps = 0;      ///< the same as recorded; 0: not recorded
  std::vector<LaneUse> lanes;  ///< by kind and number
};
/// How much longer the replay is than the recording, in percent of it. The recording must have a span.
double residual_percent(const RankReplay& rank);

/// An activity that starts at another time than recorded.
struct Departure {
  std::uint32_t rank = 0;
  std::uint32_t activity = 0;
  TimePs recorded_ps = 0;  ///< its recorded start, on the clock of the replay
  TimePs replayed_ps = 0;
  /// How much later than recorded it ends beyond what it inherits from what let it start: nothing, mostly. Negative:
  /// something held it up in the recording that the graph does not have. Positive: it did not wait for that dependency
  /// when it was recorded. Communication also counts what it waits more or less for its partners.
  TimePs arises_ps = 0;
};

struct ReplaySummary {
  struct Place {
    std::uint32_t rank = 0, activity = 0;
  };

  std::vector<RankReplay> ranks;
  std::vector<Departure> departures;   ///< those where most arises, most first; equal ones by rank and activity
  std::uint64_t without_duration = 0;  ///< device work and communication with neither duration nor start
  std::uint64_t contradicted = 0;      ///< dependencies whose target started, as recorded, before they let it
  Place first_without_duration;        ///< the first of each, if there are any
  Place first_contradicted_source, first_contradicted_target;
};

/// `schedule` is a replay of `workload`. At most `departures` of those are kept. O(activities log activities +
/// dependencies).
ReplaySummary summarize_replay(const workload::Workload& workload, const simulate::Schedule& schedule,
                               std::size_t departures);

}  // namespace orrery::analyze
