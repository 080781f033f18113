// The host trace again with what the profiler measured: times beside each operator, and a row per piece of device work
// under the operator that launched it. The form of chakra_trace_link, made from the matching of the default mode.
#pragma once

#include "causal/host/host_match.h"
#include "causal/host/operator_index.h"
#include "trace/host_trace.h"

namespace orrery::causal {

/// Rows are numbered anew by their ids, device work right after its operator: Chakra's converter relies on that. An
/// operator's exclusive time is what was not spent in operators and calls inside of it. A backward operator names its
/// forward operator in inter_thread_dep where the two ran on different threads. Device work without a known operator is
/// left out. O(n log n).
trace::HostTrace make_linked_rows(const trace::HostTrace& host, const trace::Trace& trace, const trace::RankTrace& rank,
                                  const HostMatch& match, const OperatorIndex& operators);

/// The same, with the matching done here.
trace::HostTrace make_linked_rows(const trace::HostTrace& host, const trace::Trace& trace,
                                  const trace::RankTrace& rank);

}  // namespace orrery::causal
