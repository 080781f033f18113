// What kind of time an event of a trace is, for its colour in the page: that of the edges which its time is on, or
// would be.
#pragma once

#include <cstdint>

#include "base/column.h"
#include "trace/trace.h"

namespace orrery::page {

/// Per event a number of page/data/kinds.h. One pass over the events.
Column<std::uint8_t> event_kinds(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::page
