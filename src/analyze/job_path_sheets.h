// A job's path as Sheets.
#pragma once

#include <vector>

#include "analyze/job_path.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Per rank what it has on the path, without transfers: rank, on_path_us, share_pct.
report::Sheet path_ranks_sheet(const link::JobGraph& job, const JobPath& path);
/// Transfers on the path: what, group, on_path_us, share_pct. With the ranks' shares, the whole path.
report::Sheet path_groups_sheet(const link::JobGraph& job, const JobPath& path);
/// at_us, from, to, what, group, name; the earliest first.
report::Sheet hops_sheet(const link::JobGraph& job, const JobPath& path);
/// As of a step, with the rank; that of transfers is unknown.
report::Sheet job_contributors_sheet(const link::JobGraph& job, const JobPath& path);
/// All of these, and bound_by.
std::vector<report::Sheet> job_path_sheets(const link::JobGraph& job, const JobPath& path);

}  // namespace orrery::analyze
