// How fast copies are, as a Sheet.
#pragma once

#include <vector>

#include "analyze/device/copy_rates.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// copies: one row per rank, device and kind: bytes, time_us (summed), any_us (at least one runs), rate_gb_per_s (bytes over summed time), min to max
/// over copies, concurrent_gb_per_s (bytes over the time in which any runs), concurrent_max_gb_per_s.
report::Sheet copies_sheet(const std::vector<RankCopies>& ranks);

}  // namespace orrery::analyze
