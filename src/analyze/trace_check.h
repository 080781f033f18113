// Can a trace be trusted, and what is missing from it?
#pragma once

#include "base/diagnostics.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// Looks at one rank: pairing of calls and device work, nesting, overlap, recorded steps, waits and collectives.
void check_rank(const trace::Trace& trace, const trace::RankTrace& rank, Diagnostics& diagnostics);

/// Looks at the ranks together: missing ones, steps that differ.
void check_job(const trace::Trace& trace, Diagnostics& diagnostics);

}  // namespace orrery::analyze
