// A step's path as Sheets: what it is made of, and what contributes most.
#pragma once

#include <span>
#include <vector>

#include "analyze/step_path.h"
#include "link/step_graph.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// One row per kind of time on the path, the largest first: kind, on_path_us, share_pct, pieces. The shares add up to 100.
report::Sheet bound_by_sheet(const StepPath& path);

/// Null where nothing waits for it, however long it took: graph::kUnlimited is no time.
report::Cell slack_cell(TimePs slack);

/// One row per contributor, in their order. `name` is unknown for time that belongs to no event. `ranks`: of a job, whose Contributor::rank is a place
/// among them; then there is a column for it, unknown for transfers.
report::Sheet contributors_sheet(const Interner& strings, std::span<const Contributor> contributors, std::span<const link::JobRank> ranks);
report::Sheet contributors_sheet(const link::StepGraph& step, const StepPath& path);

/// Both.
std::vector<report::Sheet> path_sheets(const link::StepGraph& step, const StepPath& path);

}  // namespace orrery::analyze
