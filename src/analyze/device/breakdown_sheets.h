// Where the time of devices goes, as Sheets.
#pragma once

#include <vector>

#include "analyze/device/breakdown.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// part, time_us, pct: computing, exposed communication and memory, and idle time by reason, over all devices of all
/// ranks. Adds up to 100 %.
report::Sheet parts_sheet(const DeviceTime& sum);

/// One row per rank and device.
report::Sheet temporal_sheet(const std::vector<RankBreakdown>& ranks);
/// One row per rank, device and reason that occurs; `ratio` is of the device's idle time.
report::Sheet idle_sheet(const std::vector<RankBreakdown>& ranks);
/// The same: how long the pieces are.
report::Sheet idle_intervals_sheet(const std::vector<RankBreakdown>& ranks);
/// One row per rank, stream and reason that occurs.
report::Sheet stream_idle_sheet(const std::vector<RankBreakdown>& ranks);
/// One row per rank, device and what its host did while it waited for a launch call, the longest first; of more than
/// `top` (0: all) one row for the rest. Adds up to idle time of reason host_wait.
report::Sheet host_waits_sheet(const std::vector<RankBreakdown>& ranks, std::size_t top);
/// One row per rank and device that communicates.
report::Sheet overlap_sheet(const std::vector<RankBreakdown>& ranks);
/// One row per rank and name; of more than `top` names (0: all) the largest, and one row for the rest.
report::Sheet device_annotations_sheet(const std::vector<RankBreakdown>& ranks, std::size_t top);
report::Sheet host_annotations_sheet(const std::vector<RankBreakdown>& ranks, std::size_t top);

/// count mean_us std_us min_us p25_us p50_us p75_us max_us; people see those of `shown`.
void add_distribution_columns(report::Sheet& sheet, bool shown);
void append_cells(std::vector<report::Cell>& cells, const Distribution& values);

}  // namespace orrery::analyze
