// What a reader of a replay should know about the recording it was made from.
#pragma once

#include "analyze/schedule/replay_sheets.h"
#include "base/diagnostics.h"

namespace orrery::analyze {

/// Work without times (R401), ranks without starts (R402), dependencies that the recording contradicts (R403).
void remark_on_replay(const ReplayAnswer& answer, Diagnostics& diagnostics);

/// Communication that was replayed without its partners (R404): of ranks that were meant to be replayed with them.
void remark_on_missing_partners(const ReplayAnswer& answer, Diagnostics& diagnostics);

}  // namespace orrery::analyze
