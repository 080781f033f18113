// Who waited in which step, and who made others wait: a heat map of ranks and steps.
#pragma once

#include "analyze/blame/blame.h"
#include "causal/causal_graph.h"
#include "page/sections/section.h"
#include "report/sheet.h"

namespace orrery::page {

// Runs that have nothing to do with one another, side by side: what a page shows in place of the ranks of a job.

/// `runs`: a row each, the first is the one that the page is about.
Section runs_section(const report::Sheet& runs);

/// Up to 64 ranks one row each; of more those with most waiting and blame, and a picture in which neighbours are
/// merged. Cells name the event of the culprit by its rank and its place in the file. Absent where nothing joins the
/// ranks.
Section ranks_section(const causal::CausalGraph& job, const analyze::Blame& blame);

}  // namespace orrery::page
