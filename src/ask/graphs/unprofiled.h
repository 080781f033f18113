// The answer is about the run without a profiler, whose step time the user knows.
#pragma once

#include <optional>
#include <string>

#include "analyze/whatif/recording_cost.h"
#include "ask/context.h"
#include "causal/causal_graph.h"

namespace orrery::ask {

/// What the recorder was found to cost; none where it was not asked.
struct Unprofiled {
  TimePs recorded = 0;  ///< what the window took with the profiler
  std::size_t events = 0;
  TimePs per_event = 0;
  analyze::CalibratedCost cost;
};

/// Takes what recording costs off the graph, if it is known what a step takes without a profiler: `step`.
std::optional<Unprofiled> take_profiler_off(Context& context, std::optional<TimePs> step, causal::CausalGraph& job);

/// One line for people, and the member "unprofiled" for programs.
void tell_unprofiled(report::Answer& answer, const std::optional<Unprofiled>& unprofiled);

}  // namespace orrery::ask
