// Blame as Sheets: ranks, who waited for whom, causes, operations, steps, and the job against one of typical ranks.
#pragma once

#include <string>

#include "analyze/blame/blame.h"
#include "causal/causal_graph.h"
#include "report/sheet.h"

namespace orrery::analyze {

/// Per rank: rank, span_us, without_waiting_us, wait_us, caused_direct_us, caused_root_us, pattern, worst_in_steps, p,
/// p_late, p_exceptions, slowdown and gain_if_typical_us (unknown of ranks beyond the 64 with most blame); for people
/// the steps that stand out.
report::Sheet blamed_ranks_sheet(const causal::CausalGraph& job, const Blame& blame);

/// Per pair with any: waiter, culprit (unknown: not resolved), direct_us, root_us.
report::Sheet blame_pairs_sheet(const causal::CausalGraph& job, const Blame& blame);

/// For people: a row per rank that waits, a column per rank that caused it.
report::Sheet blame_matrix_sheet(const causal::CausalGraph& job, const Blame& blame);

/// Per cause, most blame first: rank, kind, name (unknown of time that belongs to no event), blame_us.
report::Sheet causes_sheet(const causal::CausalGraph& job, const Blame& blame);

/// Per kind of operation that was waited in, most waiting first: what, group, name, state, count, wait_us.
report::Sheet blamed_operations_sheet(const causal::CausalGraph& job, const Blame& blame);

/// Per step: step, wait_us, worst (unknown where nobody waited).
report::Sheet blamed_steps_sheet(const causal::CausalGraph& job, const Blame& blame);

/// Per step and rank that waited or made others wait: step, rank, wait_us, waited_for (the rank that the longest wait
/// of it was for) and waited_for_event (that rank's event, by its place in the file); caused_root_us, and caused_event
/// (its own event that others waited longest for). Unknown where nobody is to blame.
report::Sheet blame_cells_sheet(const causal::CausalGraph& job, const Blame& blame);

/// One row: measured_us, ideal_us, S, communication, all.
report::Sheet slowdown_sheet(const Blame& blame);

/// What a cause is called in tables: its name, or its kind in brackets.
std::string label_of(const causal::CausalGraph& job, const causal::PieceClass& work);

/// "ProfilerStep#3"; of a job without steps its window.
std::string step_name(const causal::CausalGraph& job, std::size_t step);

}  // namespace orrery::analyze
