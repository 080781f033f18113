// Where the time of devices goes, as Sheets.
#pragma once

#include <vector>

#include "analyze/device/breakdown.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// part, time_us, pct: computing, exposed communication and memory, and idle time by reason, over all devices of all
/// ranks. Adds up to 100 %.
report::Sheet parts_sheet(const DeviceTime& sum);

/// Of these ranks:
///   parts               see parts_sheet
///   temporal            one row per rank and device
///   idle                one row per rank, device and reason that occurs; `ratio` is of the device's idle time
///   idle_intervals      the same: how long the pieces are
///   stream_idle         one row per rank, stream and reason that occurs
///   host_waits          one row per rank, device and what its host did while it waited for a launch call, the longest
///   first; of more than `top` (0: all)
///                       one row for the rest. Adds up to idle time of reason host_wait
///   overlap             one row per rank and device that communicates
///   device_annotations  one row per rank and name; of more than `top` names (0: all) the largest, and one row for the
///   rest host_annotations    the same
std::vector<report::Sheet> breakdown_sheets(const std::vector<RankBreakdown>& ranks, std::size_t top);

/// Their places in that list.
inline constexpr std::size_t kPartsOfBreakdown = 0, kTemporal = 1, kIdle = 2, kIdleIntervals = 3, kStreamIdle = 4,
                             kOverlap = 5, kDeviceAnnotations = 6, kHostAnnotations = 7, kHostWaits = 8;

/// count mean_us std_us min_us p25_us p50_us p75_us max_us; people see those of `shown`.
void add_distribution_columns(report::Sheet& sheet, bool shown);
void append_cells(std::vector<report::Cell>& cells, const Distribution& values);

}  // namespace orrery::analyze
