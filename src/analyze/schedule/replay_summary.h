// What a replay shows: how close it comes to the recording, rank by rank, what threads and streams do, and where it
// departs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "report/sheet.h"
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

// A replay as Sheets: how close every rank comes to its recording, what its threads and streams do, and where it
// departs.

/// What the sheets are made of; all must outlive the calls.
struct ReplayAnswer {
  const workload::Workload& workload;
  const simulate::Schedule& schedule;
  const ReplaySummary& summary;
  std::span<const std::size_t> rank_numbers;  ///< what the ranks of the workload are called
};

/// Per rank: rank, nodes, begin_us, replayed_us, recorded_us, residual_pct (unknown where nothing was recorded),
/// compute_us, communication_us, exposed_comm_us, exposed_comm_pct (of what was replayed). Programs also see finish_us,
/// on the clock of all.
report::Sheet replayed_ranks_sheet(const ReplayAnswer& answer);

/// Per thread or stream, by rank, kind and number: rank, lane, activities, busy_us, busy_pct (of what its rank
/// replays). `only`: of this rank of the workload.
report::Sheet lanes_sheet(const ReplayAnswer& answer, std::optional<std::size_t> only = std::nullopt);

/// In the order of ReplaySummary::departures: name, rank, id, recorded_start_us, replayed_start_us, off_us, arises_us.
report::Sheet departures_sheet(const ReplayAnswer& answer);

// What a reader of a replay should know about the recording it was made from.

/// Work without times (R401), ranks without starts (R402), dependencies that the recording contradicts (R403).
void remark_on_replay(const ReplayAnswer& answer, Diagnostics& diagnostics);

/// Communication that was replayed without its partners (R404): of ranks that were meant to be replayed with them.
void remark_on_missing_partners(const ReplayAnswer& answer, Diagnostics& diagnostics);

}  // namespace orrery::analyze
