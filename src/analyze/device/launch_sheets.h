// Does the host keep the devices fed, as Sheets.
#pragma once

#include <vector>

#include "analyze/device/launch_delays.h"
#include "analyze/device/operator_delays.h"
#include "analyze/device/operator_tree.h"
#include "analyze/device/queue_lengths.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Of these ranks:
///   launches       one row per rank and measure: cpu (calls that launched something), gpu (their work), delay (from entering the call to the start)
///   launch_counts  one row per rank
///   launch_calls   one row per rank and name of a call
///   queue          one row per rank, stream (null: the whole device) and `until` (end or start)
///   full_queue     one row per rank and stream on which a call was entered while the limit waited
std::vector<report::Sheet> launch_sheets(const std::vector<RankLaunches>& launches, const std::vector<RankQueues>& queues);

/// Their places in that list.
inline constexpr std::size_t kLaunches = 0, kLaunchCounts = 1, kLaunchCalls = 2, kQueue = 3, kFullQueue = 4;

/// operators: one row per rank, operator and the kernels that one occurrence launches. Programs that take lists get the names as one, people and
/// tables joined by " -> ": `with_kernels`.
report::Sheet operators_sheet(const std::vector<RankOperators>& ranks, bool with_kernels);

/// nested_operators: one row per rank and operator inside the same operators; each before those inside it, one deeper.
report::Sheet nested_operators_sheet(const std::vector<RankOperatorTree>& ranks);

}  // namespace orrery::analyze
