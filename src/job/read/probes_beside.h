// Measurements between clocks that a recorder leaves beside its traces: nobody has to name them.
#pragma once

#include <optional>
#include <string>

#include "trace/trace.h"

namespace orrery::job {

/// PREFIX.probes.jsonl beside PREFIX.0.mpitrace, which liborrery_mpi.so writes where a job ran on several nodes. None
/// if the traces are of another format, of several runs, or there is no such file.
std::optional<std::string> probes_beside(const trace::Trace& job);

}  // namespace orrery::job
