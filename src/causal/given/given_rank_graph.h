// The graph of a rank whose recording says what depends on what: nothing is inferred from times.
//
// Operations are as long as they were, and begin and end when they did in the job executed from its dependencies
// (match/operations/executed_job.h). So a delay is in the graph only where it held the job, and every moment is
// explained by what its operation needs. Steps of a rank follow one another: the first operations of one need all of
// the step before.
#pragma once

#include "base/result.h"
#include "causal/numbered_rank.h"
#include "causal/rank_graph.h"
#include "causal/step_window.h"

namespace orrery::causal {

/// Whether its reader wrote the columns of match/operations/operation_columns.h.
bool has_given_dependencies(const trace::RankTrace& rank);

/// The window of the result ends where the rank's last operation in it does.
Result<RankGraph> make_given_rank_graph(const RankSource& source, const StepWindow& window);

}  // namespace orrery::causal
