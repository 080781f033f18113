// get_queue_length_summary and get_time_spent_blocked_on_full_queue: launched and not yet started, per stream.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// How many are launched and not started, after `row`: a launch, or the start of the device row itself.
struct QueueSample {
  TimePs time = 0;
  std::int64_t length = 0;
  causal::hta::RowIndex row = 0;
  causal::hta::RowIndex device = 0;  ///< the row that was launched or starts
};
/// By stream, in the order of time; launches come first at equal times.
using QueueSeries = std::map<std::int64_t, std::vector<QueueSample>>;
/// Fails if launches and device rows do not pair up.
Result<QueueSeries> queue_series(const causal::hta::RankRows& rank);

/// Statistics of the lengths after each launch and each start, per rank and stream. Fails if launches and device rows
/// of any rank do not pair up, or if there are none.
Result<report::Sheet> queue_sheet(const causal::hta::JobRows& job);

/// Per rank, of the streams whose length reaches `limit` the one with the highest number: how long it did, and as a
/// share of the span of starts. Fails if launches and device rows do not pair up.
Result<report::Sheet> full_queue_sheet(const causal::hta::JobRows& job, std::int64_t limit);

}  // namespace orrery::analyze::hta
