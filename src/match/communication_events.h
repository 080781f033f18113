// Which events of a rank matter to those who join ranks: a small part of a trace, which can be kept when the rest is
// not.
#pragma once

#include "base/column.h"
#include "trace/trace.h"

namespace orrery::match {

/// By event, 1 for what find_exchanges and the estimate of clocks look at: communications, the calls that asked for
/// them, readings of two clocks, and where the recording begins and ends on each of its clocks. A trace of these alone
/// (trace::select_events) has the same Exchanges and the same clocks. O(events).
Column<std::uint8_t> communication_events(const trace::Trace& trace, const trace::RankTrace& rank);

}  // namespace orrery::match
