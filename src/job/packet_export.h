// A recorded job as one Perfetto trace, in its own format, with what Orrery knows about it.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "job/recorded_job.h"
#include "trace/trace.h"

namespace orrery::job {

/// Every lane of every rank; arrows from launches to the work they started, from sends to receives, and along the critical path where it changes lanes; a
/// track "critical path" for each rank that is on it, of the step that `orrery path` would choose. If there is none, that is remarked. `job`: of several
/// ranks what `trace` is of, else null. Processes and threads are renumbered, so that no two ranks share them. Compressed if the name ends in .gz; complete
/// or absent.
Status export_packets(const trace::Trace& trace, const RecordedJob* job, const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::job
