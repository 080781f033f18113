// A Workload as GOAL text, for LogGOPSim and its relatives.
#pragma once

#include <string>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::goal {

/// Operations are labelled l1, l2, ... in the order of the program. parse_text() gives the same programs back, but for
/// ids, names and the order of dependencies of one operation; memory is computation here. Durations are whole
/// nanoseconds, rounded such that those of a rank add up. Tags that do not fit 32 bits get numbers above all others. An
/// Error names a collective (replace these by messages first) or a message without a peer.
Result<std::string> to_text(const workload::Workload& workload);

}  // namespace orrery::goal
