// The tables that say what was recorded, beside the events: `ranks`, `lanes`, `steps`, `clocks`, `diagnostics`, and
// `process` under Perfetto's name.
#pragma once

#include "query/recording.h"
#include "query/rows.h"

namespace orrery::query {

Table ranks_table(const Recording& recording);
Table lanes_table(const Recording& recording);
Table steps_table(const Recording& recording, Steps& steps);
Table clocks_table(const Recording& recording);
/// The values of all counters, where they are.
Table counters_table(const Recording& recording);
/// What was remarked until it is asked.
Table diagnostics_table(const Recording& recording);
/// upid, pid, name, rank: the processes of all ranks, numbered from 1 by rank and first lane.
Table process_table(const Recording& recording);

}  // namespace orrery::query
