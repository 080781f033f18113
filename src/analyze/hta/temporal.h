// get_temporal_breakdown: how long the devices are idle, computing, or busy with something else.
#pragma once

#include "base/result.h"
#include "causal/hta/job_rows.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// A row per rank. Fails if a rank has no device row, or if negative durations make a part exceed the whole.
Result<report::Sheet> temporal_sheet(const causal::hta::JobRows& job);

}  // namespace orrery::analyze::hta
