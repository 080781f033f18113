// A recorded job as one file that Perfetto and chrome://tracing show.
#pragma once

#include <string>

#include "base/result.h"
#include "trace/trace.h"

namespace orrery::job {

/// Every lane of every rank, with its name and the rank's, and arrows from each launch to the work it started: the
/// recorded ones, or those of the correlation ids. Processes and threads are renumbered, so that no two ranks share
/// them. Times are exact, and as the trace has them. Compressed if the name ends in .gz; complete or absent. Memory: a
/// few MB and the arrows of one rank.
Status export_trace(const trace::Trace& trace, const std::string& path);

}  // namespace orrery::job
