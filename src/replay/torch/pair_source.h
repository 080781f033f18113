// A rank from the two recordings of one run: the host trace says what was called, the profiler trace what that launched.
#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "replay/torch/rank_source.h"
#include "trace/trace.h"

namespace orrery::replay::torch {

/// `host` has the table of texts of `trace`; `rank` was read with record-function ids. Both must outlive the result. An Error if the two are of
/// different runs: fewer than `least_coverage_percent` of the rows were found. O(n log n).
Result<RankSource> source_of_pair(const trace::Trace& trace, const trace::RankTrace& rank, const trace::HostTrace& host,
                                  double least_coverage_percent, Diagnostics& diagnostics);

}  // namespace orrery::replay::torch
