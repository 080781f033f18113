// The device tracer's clock of one node against its host clock, from pairs of readings.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "trace/clock.h"
#include "trace/clock_sources.h"
#include "trace/trace.h"

namespace orrery::align {

// Snapshots of a node's host and tracer clocks, from wherever they come, in the form that the fit takes.

/// Those that the profiler wrote into the trace itself (Field::tracer_clock): the host side is the start of the event,
/// Unix ns, the tracer side what its clock showed. No pairs if there are none.
trace::ClockSnapshots recorded_snapshots(const trace::Trace& trace, const trace::RankTrace& rank);

/// Brings pairs without a start of their own, that is absolute readings, to readings since the start of the profile,
/// which is what events are stamped with. `start`, from a file of offsets, says what both clocks showed then. Without
/// it both are taken to have begun together: the first pair says what the tracer showed. Pairs with starts of their own
/// stay as they are.
trace::ClockSnapshots since_start(trace::ClockSnapshots snapshots, std::optional<std::int64_t> profile_start_unix_ns,
                                  const trace::NodeStart* start);

/// Tracer readings to host readings, both since `epoch_unix_ns`. A trace writes what the tracer stamped as if it had
/// been stamped from the start of the profile on, so a tracer reading is the start of the profile plus the time since
/// the tracer's own start.
///
/// The host clock is read just before the tracer's, so a pair is never too early and mostly too late: the least delays
/// of two-second windows are the truth, to some nanoseconds. Where all pairs of half a second jump against those
/// before, the host's clock was set: the map is split there.
Result<trace::Clock> fit_tracer_clock(const trace::ClockSnapshots& snapshots, std::int64_t profile_start_unix_ns,
                                      std::int64_t epoch_unix_ns);

}  // namespace orrery::align
