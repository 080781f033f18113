// Levers of a job as Sheets: what each would save, which save the same, in which order to work, and what typical ranks
// would save.
#pragma once

#include "analyze/blame/levers.h"
#include "causal/causal_graph.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Per lever, in the order of Levers::all: scope, select, kind, name (of work), what and group (of transfers),
/// total_us, on_path_us, derivative, gain_if_free_us, gain_10pct_us; null of a lever that was not solved.
report::Sheet levers_sheet(const causal::CausalGraph& job, const Levers& levers);

/// Per rank asked about: rank, gain_if_typical_us.
report::Sheet rank_gains_sheet(const causal::CausalGraph& job, const Levers& levers);

/// Per pair of the best: a, b (selections), gain_both_us, overlap_us.
report::Sheet lever_pairs_sheet(const Levers& levers);

/// In the order to work in: select, gain_us (beyond those before), total_gain_us (with them).
report::Sheet lever_order_sheet(const Levers& levers);

/// Groups that hide one another: select, what, groups, members, total_us, on_path_us, gain_if_free_us, gain_10pct_us,
/// and the sums of the gains that they have one by one: alone_if_free_us, alone_10pct_us.
report::Sheet lever_unions_sheet(const causal::CausalGraph& job, const Levers& levers);

}  // namespace orrery::analyze
