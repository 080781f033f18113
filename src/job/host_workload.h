// A host trace on its own as a Workload: operators in order. Linked with a profiler trace it has times and device work as well; without, an
// operator takes no time, but who calls and follows whom is known.
#pragma once

#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "base/result.h"
#include "trace/host_trace.h"
#include "workload/workload.h"

namespace orrery::job {

/// One rank per trace, which must all have been read with the table `strings`; the workload takes it over. Activities have the ids of the rows.
/// Data dependencies: the operator before on the same thread; of device work the operator that launched it and the work before on its stream;
/// what a linked trace says of synchronisation and other threads, unless it leads back. Control dependencies: who called it. Collectives of
/// the device are told by the names of their kernels, without device work by record_param_comms. An Error names the file and the ids.
Result<workload::Workload> host_workload(const std::vector<trace::HostTrace>& traces, Interner strings, Diagnostics& diagnostics);

}  // namespace orrery::job
