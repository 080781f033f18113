// From the files of a job to one workload: reads host and profiler traces side by side and links every rank.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/program/linked_rank.h"
#include "causal/program/tensor_reads.h"
#include "formats/format.h"
#include "job/pairs/pairs.h"
#include "job/read/reading.h"
#include "job/read/source.h"
#include "trace/host_trace.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::job {

// What the host traces of a job say about who reads what: for questions about another order of the same work.

/// Whether every rank's trace has a host trace beside it.
bool has_host_traces(const Source& source);

/// By rank, in ascending order. `source` must have host traces. An Error: a host trace of another run, or one that
/// cannot be read.
Result<std::vector<causal::RankTensors>> read_job_tensors(const Source& source, const Reading& reading);

struct LinkJobOptions {
  causal::LinkOptions link;                 ///< `arguments` and `groups` are filled in from the host traces
  bool salvage = false;                     ///< see formats::TraceOptions
  bool operands = false;                    ///< see formats::TraceOptions
  const formats::Format* format = nullptr;  ///< of the profiler traces; null: Kineto
  std::optional<std::int64_t> rank;  ///< of several ranks only this one; of a single pair: the rank it is taken to be
  std::function<void(std::uint64_t bytes)> on_progress = {};
  std::function<Status(trace::Trace&)> retime = {};  ///< see Reading
};

/// Ranks in ascending order; per rank one entry of each list.
struct LinkedJob {
  trace::Trace trace;
  std::vector<trace::HostTrace> hosts;    ///< texts in trace.strings; without rows: none was given
  std::vector<causal::LinkedRank> ranks;  ///< `program` is in `workload`
  workload::Workload workload;
  bool is_retimed = false;  ///< its times are not those of the files
};

/// Reads the traces. Host and profiler traces are read at the same time, ranks in parallel.
Result<LinkedJob> read_pairs(const std::vector<TracePair>& pairs, const LinkJobOptions& options,
                             Diagnostics& diagnostics);

/// Where profiler traces do not list process groups their host traces may: then they are taken from there.
void take_groups_of_hosts(LinkedJob& job);

/// Links what was read, at other times if the options say so; `options.format`, `salvage` and `rank` are for those who
/// read.
Result<LinkedJob> link_read(LinkedJob job, const LinkJobOptions& options, Diagnostics& diagnostics);

/// Reads and links. The result does not depend on the number of threads.
Result<LinkedJob> link_job(const std::vector<TracePair>& pairs, const LinkJobOptions& options,
                           Diagnostics& diagnostics);

}  // namespace orrery::job
