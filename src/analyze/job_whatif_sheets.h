// A what-if of a whole job as Sheets; those of one rank (whatif_sheets.h), and what becomes of each rank.
#pragma once

#include <span>
#include <vector>

#include "analyze/job_whatif.h"
#include "analyze/whatif_sheets.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Per edit, in the order given: edit, edges (pieces it changes, standstills, or ranks that fail).
report::Sheet job_edits_sheet(const JobEdits& edits);

/// Per kind of time that is on the path before or after; `stopped` is standing still. The sums are the job's.
report::Sheet job_changed_bounds_sheet(const JobWhatIf& result);

/// Per rank, from the job's begin to its end: rank, before_us, after_us.
report::Sheet job_ranks_sheet(const link::JobGraph& job, const JobWhatIf& result);

/// All of them; the sweep only if there is one.
std::vector<report::Sheet> job_whatif_sheets(const JobEdits& edits, const JobWhatIf& result, std::span<const SweepRow> points);

}  // namespace orrery::analyze
