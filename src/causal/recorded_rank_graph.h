// The graph of a rank whose recording has threads, calls and device work: what explains each moment is found in the
// times and arguments of its events.
#pragma once

#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/numbered_rank.h"
#include "causal/rank_graph.h"
#include "causal/step_window.h"

namespace orrery::causal {

Result<RankGraph> make_recorded_rank_graph(const RankSource& source, const StepWindow& window,
                                           Diagnostics& diagnostics);

}  // namespace orrery::causal
