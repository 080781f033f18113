// chakra_trace_link 1.0.0, exactly: a host trace and a profiler trace of the same run into one linked trace.
#pragma once

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/chakra/device_trace.h"
#include "trace/host_trace.h"
#include "trace/trace.h"

namespace orrery::causal::chakra {

// Which operator of another thread an operator that comes after a pause seems to wait for.

/// One per host operator: the record function of the operator it depends on, 0 if there is none. At the begin of a
/// thread and after a pause of more than a millisecond that is the last operator of any other thread to start before;
/// those that follow without a pause share it. Of operators that start at the same time the one whose thread appears
/// first is taken, of one thread the first. O(n log n).
Column<std::int64_t> inter_thread_dependencies(const HostOps& ops);

// How long operators run without those they call, in chakra_trace_link's arithmetic.

/// One per host operator, in microseconds: its duration less the time that later operators of its thread take which end
/// no later than it does. Operators of one thread are taken by (ts, dur); of that time, stretches that touch are
/// joined, and each is subtracted in turn.
///
/// O(n log n) for operators that nest, as those of a thread do. Where they overlap otherwise, an operator costs a step
/// for every 64 that start during it and end after it, and one for every stretch that counts. Fails if something
/// remains less than 0, as it does where rounding makes callees longer than their caller.
Result<Column<double>> exclusive_times(const HostOps& ops, const std::string& file);

/// `host` was read with the table of texts of `trace`, `rank` with record-function ids. Rows of the result are by their
/// new ids. An Error says on what the original stops.
Result<trace::HostTrace> link(trace::HostTrace host, trace::Trace& trace, const trace::RankTrace& rank,
                              Diagnostics& diagnostics);

}  // namespace orrery::causal::chakra
