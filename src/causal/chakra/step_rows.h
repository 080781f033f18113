// Events as the HTA that chakra_trace_link runs (commit d731cc2) holds them. They differ from those of causal/hta in
// which rows are the device's and in how the last step is dropped.
#pragma once

#include "base/result.h"
#include "causal/hta/rows.h"

namespace orrery::causal::chakra {

/// The device's: rows of a stream other than 0, and "Event Sync" and "Context Sync". With more than one profiler step
/// the last and what comes after are dropped, and the frame has the device's rows first, grouped by correlation in
/// order of first appearance. Fails where the original stops while it loads the trace.
Result<hta::Rows> make_step_rows(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::causal::chakra
