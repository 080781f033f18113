// Arguments as columns of the page (docs/REPORT.md, arguments). Most events of a name say the same, but for a few
// numbers that count on: so an event has the number of a set of arguments, counted per name, and what differs from
// event to event is in columns of its own.
#pragma once

#include <vector>

#include "base/result.h"
#include "page/data/event_table.h"
#include "page/data/name_table.h"
#include "page/sections/section.h"
#include "trace/trace.h"

namespace orrery::page {

/// The blob of what ranks have in common, then one per rank; none if no event of the page has an argument. Files are
/// read again, side by side, for what they have beyond the trace.
Result<std::vector<Blob>> argument_blobs(const trace::Trace& trace, const EventTable& events, const NameTable& names);

}  // namespace orrery::page
