// What a replay shows: a sentence, ranks, threads and streams for people, everything as JSON.
#pragma once

#include <cstddef>
#include <vector>

#include "analyze/replay_summary.h"
#include "cli/invocation.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::cli {

struct ReplayReport {
  const workload::Workload& workload;
  const simulate::Schedule& schedule;
  const analyze::ReplaySummary& summary;
  const std::vector<std::size_t>& rank_numbers;  ///< what the ranks of the workload are called
  bool alone = false;
};

/// Fills data() or text(). With --verbose the threads and streams of every rank, and where the replay departs from the recording.
void report_replay(Invocation& invocation, const ReplayReport& report);

}  // namespace orrery::cli
