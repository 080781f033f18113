// A host trace on its own as a Workload: operators in order. Without the profiler trace of the same run an operator
// takes no time, but who calls and follows whom is known. (A linked trace has that: job/pairs/unlinked.h.)
#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "base/result.h"
#include "job/pairs/host_files.h"
#include "trace/host_trace.h"
#include "workload/workload.h"

namespace orrery::job {

/// One rank per trace, which must all have been read with the table `strings` and have no times; the workload takes it
/// over. Activities have the ids of the rows. Data dependencies: the operator before on the same thread. Control
/// dependencies: who called it. Collectives are what record_param_comms says. An Error names the file and the ids.
Result<workload::Workload> host_workload(const std::vector<trace::HostTrace>& traces, Interner strings,
                                         Diagnostics& diagnostics);

/// The same of files: `strings` is taken from them, and their traces lose times and device work if they have any.
Result<workload::Workload> workload_of_hosts(HostFiles& files, Diagnostics& diagnostics);

}  // namespace orrery::job
