// Brings measurements and traces to one form: readings in nanoseconds since the job's epoch, nodes by their place in a
// NodeTable.
#pragma once

#include <vector>

#include "align/estimate.h"
#include "align/node_table.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "match/exchange.h"
#include "trace/clock.h"
#include "trace/clock_sources.h"
#include "trace/trace.h"

namespace orrery::align {

using match::Exchange;
using match::Exchanges;
using match::Ordering;
using match::Participation;

/// Probes, probe windows and offsets. An Error if none of them overlaps the traces in time, which are then of another
/// run, or if none is of a node with a trace.
Result<Sources> gather_measurements(const trace::Trace& trace, const NodeTable& nodes,
                                    const trace::ClockSources& sources, Diagnostics& diagnostics);

/// Whether the nodes with traces are all connected to `reference` by what was gathered.
bool connects_all(const Sources& sources, const NodeTable& nodes, std::uint32_t reference);

/// Adds the ends of the collectives with this ordering, everybody_waits or message: those that the participants see at
/// nearly the same moment. `tracer` per rank: readings of the device tracer to readings of the host clock.
void add_collectives(const Exchanges& exchanges, const NodeTable& nodes, Ordering ordering,
                     const std::vector<trace::Clock>& tracer, Sources& sources);

}  // namespace orrery::align
