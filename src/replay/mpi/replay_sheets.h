// The answer of a replay by MPI, in Sheets.
#pragma once

#include "replay/mpi/measured.h"
#include "report/sheet.h"

namespace orrery::replay {

/// Makespans by repetition. `is_recorded`: the last one was, which costs about half a microsecond per call.
report::Sheet repetitions_sheet(const Measured& measured, bool is_recorded);
/// By kind, ranks and size: how often in a run, and the time from the last arrival to the last end over all runs.
report::Sheet collectives_sheet(const Measured& measured);
/// By size: how often in a run, and the time from when both sides are there to the end of the receive over all runs.
report::Sheet messages_sheet(const Measured& measured);

}  // namespace orrery::replay
