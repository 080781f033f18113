// The answers of Holistic Trace Analysis about whole jobs: breakdown, kernels, launches, memory, blame and diff with
// compat hta.
//
// Each reads the files as HTA does and answers in its tables. What HTA cannot answer is null, with the reason under
// "unavailable", and no failure. Only diff fails without a usable step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/hta/trace_diff.h"
#include "ask/devices/breakdown.h"
#include "ask/devices/kernels.h"
#include "ask/devices/launches.h"
#include "ask/devices/memory.h"

namespace orrery::ask {

Result<report::Answer> breakdown_as_hta(const BreakdownRequest& request, Context& context);
Result<report::Answer> kernels_as_hta(const KernelsRequest& request, Context& context);
Result<report::Answer> launches_as_hta(const LaunchesRequest& request, Context& context);
Result<report::Answer> memory_as_hta(const MemoryRequest& request, Context& context);

/// `steps`: those looked at; empty: all but the last, or that too.
Result<report::Answer> blame_as_hta(const RecordingRequest& recording, bool include_last_step, std::size_t candidates,
                                    const std::vector<std::int64_t>& steps, Context& context);

Result<report::Answer> diff_as_hta(const RecordingRequest& control, const RecordingRequest& test,
                                   const analyze::hta::DiffOptions& options, Context& context);

}  // namespace orrery::ask
