// What the host traces of a job say about who reads what: for questions about another order of the same work.
#pragma once

#include <vector>

#include "base/result.h"
#include "causal/program/tensor_reads.h"
#include "job/read/reading.h"
#include "job/read/source.h"

namespace orrery::job {

/// Whether every rank's trace has a host trace beside it.
bool has_host_traces(const Source& source);

/// By rank, in ascending order. `source` must have host traces. An Error: a host trace of another run, or one that
/// cannot be read.
Result<std::vector<causal::RankTensors>> read_job_tensors(const Source& source, const Reading& reading);

}  // namespace orrery::job
