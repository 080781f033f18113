// A Source as a Trace: what analyses of recorded time ask for. Programs are replayed first, which makes a recording of
// them.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "job/read/reading.h"
#include "job/read/source.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::job {

// Measurements between clocks that a recorder leaves beside its traces: nobody has to name them.

/// PREFIX.probes.jsonl beside PREFIX.0.mpitrace, which liborrery_mpi.so writes where a job ran on several nodes. None
/// if the traces are of another format, of several runs, or there is no such file.
std::optional<std::string> probes_beside(const trace::Trace& job);

struct TraceRequest {
  bool positions = true;       ///< see formats::TraceOptions
  bool far_clocks = false;     ///< see formats::TraceOptions
  bool operands = false;       ///< see formats::TraceOptions
  bool launch_arrows = false;  ///< see formats::TraceOptions
  bool one_rank =
      false;  ///< one rank is enough: `rank`, or the lowest; others are not read where that can be told beforehand
  std::optional<std::int64_t> rank = {};
  bool untimed = false;  ///< programs of which no durations were recorded are no Error: TraceInput::untimed
};

struct TraceInput {
  trace::Trace trace;
  std::size_t job_ranks = 0;  ///< in the job; more than those read if one was enough
  /// Programs without durations, of which there is no trace: groups and peers that are named by role stay so.
  std::shared_ptr<const workload::Workload> untimed = nullptr;
};

/// Ranks are in ascending order. With `one_rank` the trace has that rank only; an Error lists those there are if it is
/// none of them.
Result<TraceInput> read_trace(const Source& source, const TraceRequest& request, const Reading& reading);

}  // namespace orrery::job
