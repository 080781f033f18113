// A comparison of two runs as Sheets.
#pragma once

#include <vector>

#include "analyze/diff/operator_changes.h"
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

/// Named by_operator, per row of `changes`: operator (unknown: by kernel), shapes, types, module, a_calls, b_calls,
/// a_us, b_us, change_us, a_kernels, b_kernels (lists), same_kernels, status.
report::Sheet operator_changes_sheet(const OperatorChanges& changes);

/// Named matched, one row: a_pct and b_pct, the share of each run's device time that went together with something of
/// the other run; unknown of a run without device work.
report::Sheet matched_sheet(const OperatorChanges& changes);

/// What people call a class: its name, or its kind in brackets.
std::string label_of(const ChangeCause& cause);

}  // namespace orrery::analyze
