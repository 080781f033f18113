// A recorded job as one Perfetto trace, in its own format, with what Orrery knows about it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "formats/perfetto/writer.h"
#include "job/recorded_job.h"
#include "simulate/schedule.h"
#include "trace/trace.h"

namespace orrery::job {

// What the files that show a recorded job have in common: how lanes are called there, and which launch leads to which
// work.

/// Numbers of processes and threads, which run on over the ranks so that no two share one.
struct LaneNumbers {
  std::int64_t next_process = 1;
  std::int64_t next_thread = 1;
};

/// One per lane; processes are called after their rank or node.
std::vector<perfetto::LaneLabel> label_lanes(const trace::Trace& trace, const trace::RankTrace& rank,
                                             LaneNumbers& numbers);

struct LaunchArrow {
  trace::EventIndex call = 0;
  trace::EventIndex work = 0;
};

/// From the call to each piece of work with its correlation id, in the order of the work; of calls with the same id the
/// first counts.
std::vector<LaunchArrow> launch_arrows(const trace::RankTrace& rank);

/// Every lane of every rank; arrows from launches to the work they started, from sends to receives, and along the
/// critical path where it changes lanes; a track "critical path" for each rank that is on it, of the step that `orrery
/// path` would choose. If there is none, that is remarked. `job`: of several ranks what `trace` is of, else null.
/// Processes and threads are renumbered, so that no two ranks share them. Compressed if the name ends in .gz; complete
/// or absent.
Status export_packets(const trace::Trace& trace, const RecordedJob* job, const std::string& path,
                      Diagnostics& diagnostics);

/// A simulated run: `trace` is what it would have recorded (simulate/schedule_trace.h), with arrows for messages as
/// recorded flows. Links whose use over time was kept (Schedule::link_series) are counters, in bytes per second;
/// `link_names` are by link.
Status export_packets(const trace::Trace& trace, const simulate::Schedule& schedule,
                      std::span<const std::string> link_names, const std::string& path);

}  // namespace orrery::job
