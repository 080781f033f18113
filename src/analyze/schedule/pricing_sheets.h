// How communication was priced, as Sheets: what was asked, what sharing cost, and where it cost most.
#pragma once

#include <vector>

#include "report/sheet.h"
#include "simulate/pricing/pricing_report.h"

namespace orrery::analyze {

/// One row: model, mode, version, passes, makespan_ns, and of snapshots isolated_makespan_ns, operations, coalesced,
/// snapshots, failed_snapshots, max_inflation_pct, mean_inflation_pct (what sharing added; 0: nothing),
/// overlap_mismatch_pct; asked, cache_hits, fallbacks.
report::Sheet pricing_sheet(const simulate::PricingReport& report);

/// Per group, the most inflated first: group, operations, max_inflation_pct, mean_inflation_pct.
report::Sheet inflation_sheet(const simulate::PricingReport& report);

/// The intervals in which sharing cost most: start_ns, end_ns, members, inflation_pct (of the member that suffers
/// most).
report::Sheet slowest_snapshots_sheet(const simulate::PricingReport& report);

/// The first, and the others if the mode was snapshot.
std::vector<report::Sheet> pricing_sheets(const simulate::PricingReport& report);

}  // namespace orrery::analyze
