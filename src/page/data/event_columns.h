// The events of one rank as columns of the page: ev.start, ev.dur, ev.name, ev.ordinal; where events are left out,
// ev.row.
#pragma once

#include <vector>

#include "page/data/event_table.h"
#include "page/data/name_table.h"
#include "page/sections/section.h"

namespace orrery::page {

/// `rank`: place in Trace::ranks.
Blob rank_blob(const trace::Trace& trace, const EventTable& events, const NameTable& names, std::size_t rank);

}  // namespace orrery::page
