// Which events a page leaves out because there are too many.
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.h"
#include "trace/trace.h"

namespace orrery::page {

struct EventLimits {
  std::uint64_t most_events = ~std::uint64_t{0};
  /// Per rank and event: not to be left out, as what is on the path; empty: none is.
  std::vector<Column<std::uint8_t>> must_stay = {};
};

/// Per rank and event 1 if it is in the page; empty if all are. Of those that may go the shortest go first, among
/// equals those of the lowest rank that come first in the file.
std::vector<Column<std::uint8_t>> chosen_events(const trace::Trace& trace, const EventLimits& limits);

}  // namespace orrery::page
