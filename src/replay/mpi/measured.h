// What a replay by MPI measured, added up: makespans, collectives by kind and size, messages by size.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/units.h"
#include "replay/mpi/mpi_replay.h"
#include "report/sheet.h"
#include "simulate/summed_schedule.h"
#include "workload/matching.h"

namespace orrery::replay {

/// Times of one thing, in no order.
struct Sample {
  std::vector<TimePs> times_ps;
  std::uint64_t per_run = 0;  ///< how many a run has; of some the time may not be known

  [[nodiscard]] TimePs least_ps() const;
  /// The lower one of two in the middle. 0 if there are none.
  [[nodiscard]] TimePs median_ps() const;
  [[nodiscard]] TimePs most_ps() const;
};

using CollectiveSamples = std::map<simulate::CollectiveKind, Sample>;  ///< from the last arrival to the last end
using MessageSamples =
    std::map<std::int64_t, Sample>;  ///< by size; from when both sides are there to the end of the receive

CollectiveSamples collective_samples(const workload::Workload& workload, const simulate::Schedule& schedule);
MessageSamples message_samples(const workload::Matching& matching, const simulate::Schedule& schedule);

struct Measured {
  Sample makespans;  ///< of the repetitions, in their order
  CollectiveSamples collectives;
  MessageSamples messages;
};

Measured add_up(const MeasuredRun& run, const workload::Matching& matching);

// The answer of a replay by MPI, in Sheets.

/// Makespans by repetition. `is_recorded`: the last one was, which costs about half a microsecond per call.
report::Sheet repetitions_sheet(const Measured& measured, bool is_recorded);
/// By kind, ranks and size: how often in a run, and the time from the last arrival to the last end over all runs.
report::Sheet collectives_sheet(const Measured& measured);
/// By size: how often in a run, and the time from when both sides are there to the end of the receive over all runs.
report::Sheet messages_sheet(const Measured& measured);

}  // namespace orrery::replay
