// chakra_trace_link 1.0.0, exactly: a host trace and a profiler trace of the same run into one linked trace.
#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/host_trace.h"
#include "trace/trace.h"

namespace orrery::causal::chakra {

/// `host` was read with the table of texts of `trace`, `rank` with record-function ids. Rows of the result are by their new ids. An Error says
/// on what the original stops.
Result<trace::HostTrace> link(trace::HostTrace host, trace::Trace& trace, const trace::RankTrace& rank, Diagnostics& diagnostics);

}  // namespace orrery::causal::chakra
