// A linked trace taken apart again: the host trace, and what the profiler had measured as a Trace. So everything that
// is asked of a linked trace is answered by the rules for the two recordings it was made of: what communicates, what is
// a copy, which steps there were.
#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "job/pairs/host_files.h"
#include "job/pairs/linked_job.h"
#include "trace/host_trace.h"

namespace orrery::job {

/// One rank per trace, all of which are linked; the result is read, but not linked yet.
///
/// Files that `link` wrote have the profiler trace in them (formats/pytorch_et/profiler_part.h): it is read as one. Of
/// others the rows have to do, which is told (C317). Rows with times become events (scope 7: annotations), rows of
/// device work events of their category on their streams. Such traces have no calls of the runtime: work is taken to
/// have been launched in the last moment of its operator's own time before it started, by a call named [launch]; of
/// work whose operator was not measured no launch is known; and what the host waited for the device is time of its own.
/// Kernels of communication libraries say what record_param_comms says of them, as the profiler has it. Communication
/// that the host did itself is on lanes of its own. Rows whose times cannot be used are counted. O(n log n).
Result<LinkedJob> unlink(HostFiles linked, Diagnostics& diagnostics);

/// The host trace alone, without times and device work.
trace::HostTrace host_part(const trace::HostTrace& linked);

}  // namespace orrery::job
