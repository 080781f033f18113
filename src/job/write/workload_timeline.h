// What a workload recorded of when things happened, as a timeline for Perfetto.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "workload/workload.h"

namespace orrery::job {

/// All ranks in one document, compressed if its name ends in ".gz": a process per rank, a thread per recorded thread or
/// stream. Activities whose start was not recorded are counted in `diagnostics` and left out; if none was, that is an
/// Error.
Status write_timeline(const workload::Workload& workload, const std::string& path, Diagnostics& diagnostics);

}  // namespace orrery::job
