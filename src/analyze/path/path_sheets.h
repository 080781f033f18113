// A path as Sheets: what it is made of, what contributes most, whose part it is and where it goes from rank to rank.
#pragma once

#include <optional>
#include <string>

#include "analyze/path/causal_path.h"
#include "report/sheet.h"

namespace orrery::analyze {

// From a contributor to the edit that selects it and nothing else.

/// 'op:"aten::mm"', 'gap:launch', of several ranks 'rank:3 kernel:"gemm"': what an action may follow. None where no
/// edit selects exactly this: of idle time, which threads and devices share, and of calls that return from waiting,
/// which edits know only as a whole.
std::optional<std::string> selection_of(const causal::CausalGraph& job, const Contributor& contributor);

/// One row per kind of time on the path, the largest first: kind, on_path_us, share_pct, pieces. The shares add up to
/// 100.
report::Sheet bound_by_sheet(const PathSums& path);

/// Null where nothing waits for it, however long it took: graph::kUnlimited is no time.
report::Cell slack_cell(TimePs slack);

/// One row per contributor, in their order. `name` is unknown for time that belongs to no event. Of several ranks there
/// is a column for whose it is, unknown for transfers.
report::Sheet contributors_sheet(const causal::CausalGraph& job, const PathSums& path);

/// Per rank what it has on the path, without transfers: rank, on_path_us, share_pct.
report::Sheet path_ranks_sheet(const causal::CausalGraph& job, const CausalPath& path);
/// Transfers on the path: what, group, on_path_us, share_pct. With the ranks' shares, the whole path.
report::Sheet path_groups_sheet(const causal::CausalGraph& job, const CausalPath& path);
/// at_us, from, to, what, group, name; the earliest first.
report::Sheet hops_sheet(const causal::CausalGraph& job, const CausalPath& path);

}  // namespace orrery::analyze
