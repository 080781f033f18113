// A comparison of two runs as Sheets.
#pragma once

#include <vector>

#include "analyze/diff/run_diff.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// a, b: run, steps (how many), median_us, low_us and high_us (of its interval; unknown: too few steps).
report::Sheet runs_sheet(const ComparedRun& a, const ComparedRun& b);

/// Per class, as in RunDiff::causes: kind, name (unknown of time that belongs to no event), status, a_us, b_us,
/// a_count, b_count, significant (unknown: too few steps), change_low_us and change_high_us (of its time per step, with
/// 95 %), contribution_us.
report::Sheet causes_sheet(const RunDiff& diff);

/// Per kind, the largest contribution first: kind, a_us, b_us, contribution_us; what classes of it add up to.
report::Sheet kind_changes_sheet(const RunDiff& diff);

/// Per class and rank that contributes: kind, name, rank, contribution_us.
report::Sheet cause_ranks_sheet(const RunDiff& diff);

/// What people call a class: its name, or its kind in brackets.
std::string label_of(const ChangeCause& cause);

}  // namespace orrery::analyze
