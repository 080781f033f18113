// The device tracer's clock of one node against its host clock, from pairs of readings.
#pragma once

#include "base/result.h"
#include "trace/clock.h"
#include "trace/clock_sources.h"

namespace orrery::align {

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
