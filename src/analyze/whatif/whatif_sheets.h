// A what-if as Sheets: what the edits selected, what the path was made of before and after, what moved, what becomes of
// each rank, and how the step answers to factors.
#pragma once

#include <span>

#include "analyze/whatif/whatif.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Per edit, in the order given: edit, edges (pieces it changes, standstills, or ranks that fail).
report::Sheet edits_sheet(const GraphEdits& edits);

/// Per kind of time that is on the path before or after: kind, before_us, after_us, change_us; `stopped` is standing
/// still. The sums are the step's.
report::Sheet changed_bounds_sheet(const WhatIf& result);

/// What moved most, in the order of WhatIf::moves: kind, name (unknown of time that belongs to no event), before_us,
/// after_us, change_us.
report::Sheet moves_sheet(const causal::CausalGraph& job, const WhatIf& result);

/// Per rank, from the job's begin to its end: rank, before_us, after_us.
report::Sheet ranks_sheet(const causal::CausalGraph& job, const WhatIf& result);

/// Per factor: factor, step_us, change_pct (against the unedited step), verdict.
report::Sheet sweep_sheet(TimePs unedited, std::span<const SweepRow> rows);

}  // namespace orrery::analyze
