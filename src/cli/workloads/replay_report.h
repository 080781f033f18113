// What a replay shows: a sentence, ranks, threads and streams for people, everything as JSON or CSV.
#pragma once

#include "analyze/schedule/replay_sheets.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

/// Fills data() or text(). `alone`: every rank was replayed on its own. With --verbose people see the threads and
/// streams of every rank, and where the replay departs from the recording.
void report_replay(Invocation& invocation, const analyze::ReplayAnswer& answer, bool alone);

}  // namespace orrery::cli
