// get_queue_length_summary and get_time_spent_blocked_on_full_queue: launched and not yet started, per stream.
#pragma once

#include "base/result.h"
#include "link/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// Statistics of the lengths after each launch and each start, per rank and stream. Fails if launches and device rows of any rank do not pair
/// up, or if there are none.
Result<report::Sheet> queue_sheet(const link::hta::JobRows& job);

/// Per rank, of the streams whose length reaches `limit` the one with the highest number: how long it did, and as a share of the span of starts.
/// Fails if launches and device rows do not pair up.
Result<report::Sheet> full_queue_sheet(const link::hta::JobRows& job, std::int64_t limit);

}  // namespace orrery::analyze::hta
