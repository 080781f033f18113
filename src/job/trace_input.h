// A Source as a Trace: what analyses of recorded time ask for. Programs are replayed first, which makes a recording of them.
#pragma once

#include <cstddef>
#include <optional>

#include "job/reading.h"
#include "job/source.h"
#include "trace/trace.h"

namespace orrery::job {

struct TraceRequest {
  bool positions = true;    ///< see formats::TraceOptions
  bool far_clocks = false;  ///< see formats::TraceOptions
  bool one_rank = false;    ///< one rank is enough: `rank`, or the lowest; others are not read where that can be told beforehand
  std::optional<std::int64_t> rank = {};
};

struct TraceInput {
  trace::Trace trace;
  std::size_t job_ranks = 0;  ///< in the job; more than those read if one was enough
};

/// Ranks are in ascending order. With `one_rank` the trace has that rank only; an Error lists those there are if it is none of them.
Result<TraceInput> read_trace(const Source& source, const TraceRequest& request, const Reading& reading);

}  // namespace orrery::job
