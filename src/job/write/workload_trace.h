// A Workload in recorded time, as the Trace that a profiler would have made of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "simulate/schedule.h"
#include "trace/trace.h"
#include "workload/workload.h"

namespace orrery::job {

// What a workload recorded of when things happened, as a timeline for Perfetto.

/// All ranks in one document, compressed if its name ends in ".gz": a process per rank, a thread per recorded thread or
/// stream. Activities whose start was not recorded are counted in `diagnostics` and left out; if none was, that is an
/// Error.
Status write_timeline(const workload::Workload& workload, const std::string& path, Diagnostics& diagnostics);

/// What to say of a file whose activities have no durations.
Error without_times(const std::string& file);

/// Replays the workload (simulate/replay.h) and traces it with causes (simulate/schedule_trace.h), so that path and
/// what-if work on it. Ranks that have their partners wait for them; if some have not, every rank is replayed on its
/// own, and communication takes as long as recorded. `rank_numbers` are by rank of the workload; `files` too, or one
/// for all: where it was read from, in the format of that name. An Error if no durations were recorded.
Result<trace::Trace> trace_of(workload::Workload workload, const std::vector<std::size_t>& rank_numbers,
                              const std::vector<std::string>& files, std::string_view format);

/// The same of a schedule that replay made of the workload. `alone`: every rank was replayed on its own; what
/// communication was is put aside for as long as this takes, and then as before. `source`: what the ranks are said to
/// come from.
Result<trace::Trace> trace_of_replay(workload::Workload& workload, const simulate::Schedule& schedule, bool alone,
                                     const std::vector<std::size_t>& rank_numbers, const std::string& source);

}  // namespace orrery::job
