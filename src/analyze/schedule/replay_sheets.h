// A replay as Sheets: how close every rank comes to its recording, what its threads and streams do, and where it
// departs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "analyze/schedule/replay_summary.h"
#include "report/sheet.h"
#include "simulate/schedule.h"
#include "workload/workload.h"

namespace orrery::analyze {

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

}  // namespace orrery::analyze
