// Brings measurements and traces to one form: readings in nanoseconds since the job's epoch, nodes by their place in the trace.
#pragma once

#include <optional>
#include <vector>

#include "align/collectives.h"
#include "align/estimate.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/clock.h"
#include "trace/clock_sources.h"
#include "trace/trace.h"

namespace orrery::align {

/// Place of a rank number in the trace, if it has one.
std::optional<std::uint32_t> place_of_rank(const trace::Trace& trace, std::int64_t rank);

/// Probes, probe windows and offsets. Measurements of nodes without a trace are counted and left out. An Error if none of them overlaps the
/// traces in time: they are of another run.
Result<Sources> gather_measurements(const trace::Trace& trace, const trace::ClockSources& sources, Diagnostics& diagnostics);

/// Adds the ends of collectives. `tracer` per node: readings of the device tracer to readings of the host clock.
void add_collectives(const MatchedCollectives& collectives, const std::vector<trace::Clock>& tracer, Sources& sources);

}  // namespace orrery::align
