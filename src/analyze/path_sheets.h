// A step's path as Sheets: what it is made of, and what contributes most.
#pragma once

#include <vector>

#include "analyze/step_path.h"
#include "link/step_graph.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// One row per kind of time on the path, the largest first: kind, on_path_us, share_pct, pieces. The shares add up to 100.
report::Sheet bound_by_sheet(const StepPath& path);

/// One row per contributor, in the order of StepPath::contributors. `name` is unknown for time that belongs to no event.
report::Sheet contributors_sheet(const link::StepGraph& step, const StepPath& path);

/// Both.
std::vector<report::Sheet> path_sheets(const link::StepGraph& step, const StepPath& path);

}  // namespace orrery::analyze
