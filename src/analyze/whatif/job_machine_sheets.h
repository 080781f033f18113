// What a simulated or re-ordered job says, as Sheets.
#pragma once

#include <span>

#include "analyze/whatif/job_calibration.h"
#include "analyze/whatif/job_moves.h"
#include "causal/causal_graph.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Per kind of operation and number of members: what, members, alpha_us, efficiency, operations, error_pct.
report::Sheet calibration_sheet(const causal::CausalGraph& job, std::span<const CalibrationRow> rows);

/// The best first: move, name, what, gain_us.
report::Sheet reorder_sheet(const causal::CausalGraph& job, const Reorder& reorder);

}  // namespace orrery::analyze
