// A rank from the two recordings of one run: the host trace says what was called, the profiler trace what that
// launched.
#pragma once

#include <span>

#include "base/diagnostics.h"
#include "base/result.h"
#include "match/host_work.h"
#include "replay/torch/source/rank_source.h"
#include "trace/trace.h"

namespace orrery::replay::torch {

struct PairOptions {
  double least_coverage_percent = 10;  ///< of rows found in the profiler trace; fewer: the two are of different runs
  std::int64_t world_size = 1;         ///< of the job
  std::span<const match::HostWork> works = {};  ///< what the host communicated itself
};

/// `host` has the table of texts of `trace`; `rank` was read with record-function ids. Both must outlive the result. An
/// Error if the two are of different runs or ranks. O(n log n).
Result<RankSource> source_of_pair(const trace::Trace& trace, const trace::RankTrace& rank, const trace::HostTrace& host,
                                  const PairOptions& options, Diagnostics& diagnostics);

}  // namespace orrery::replay::torch
