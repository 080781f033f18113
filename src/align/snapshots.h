// Snapshots of a node's host and tracer clocks, from wherever they come, in the form that the fit takes.
#pragma once

#include <cstdint>
#include <optional>

#include "trace/clock_sources.h"
#include "trace/trace.h"

namespace orrery::align {

/// Those that the profiler wrote into the trace itself (Field::tracer_clock): the host side is the start of the event,
/// Unix ns, the tracer side what its clock showed. No pairs if there are none.
trace::ClockSnapshots recorded_snapshots(const trace::Trace& trace, const trace::RankTrace& rank);

/// Brings pairs without a start of their own, that is absolute readings, to readings since the start of the profile,
/// which is what events are stamped with. `start`, from a file of offsets, says what both clocks showed then. Without
/// it both are taken to have begun together: the first pair says what the tracer showed. Pairs with starts of their own
/// stay as they are.
trace::ClockSnapshots since_start(trace::ClockSnapshots snapshots, std::optional<std::int64_t> profile_start_unix_ns,
                                  const trace::NodeStart* start);

}  // namespace orrery::align
