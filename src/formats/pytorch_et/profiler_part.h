// The profiler trace inside a linked trace. Rows hold operators and the work they launched; what the profiler knew
// beyond that (calls of the device's runtime and what they waited for, threads, flows, sizes of copies, the job's
// process groups) has no place in them. So the members of the profiler's document stand behind those of the host trace,
// and one file says what both recordings say. Other readers of linked traces look at "nodes" and pass over the rest;
// readers of profiler traces do the reverse.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "trace/host_trace.h"

namespace orrery::pytorch_et {

/// Whether the document has a list of the profiler's events ("traceEvents") behind its rows. Time grows with what is
/// behind them.
bool has_profiler_part(const trace::HostTrace& linked);

/// Whether a member of a linked trace's document is the profiler's.
bool is_of_profiler(std::string_view key);

/// Hands the members of the profiler trace at `path`, a document or a bare list of events, to `write`, each after a
/// comma: `,"traceEvents": [...]`. Those in `taken` are left out. Of a damaged file, which the caller has chosen to
/// read as far as it goes, all that stands before the damage. Bounded memory.
Status copy_profiler_part(const std::string& path, std::span<const std::string> taken,
                          const std::function<void(std::string_view)>& write);

}  // namespace orrery::pytorch_et
