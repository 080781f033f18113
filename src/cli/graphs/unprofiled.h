// --unprofiled: the answer is about the run without a profiler, whose step time the user knows.
#pragma once

#include <optional>
#include <string>

#include "analyze/whatif/profiler_cost.h"
#include "base/json/json_writer.h"
#include "causal/causal_graph.h"
#include "cli/frame/invocation.h"

namespace orrery::cli {

Flag unprofiled_flag();

/// What the recorder was found to cost; none without the flag.
struct Unprofiled {
  TimePs recorded = 0;  ///< what the window took with the profiler
  std::size_t events = 0;
  analyze::ProfilerCost cost;
};

/// With --unprofiled, takes what recording costs off the graph. The flag names the time of one step.
std::optional<Unprofiled> take_profiler_off(Invocation& invocation, causal::CausalGraph& job);

/// One line for people; empty without the flag.
std::string unprofiled_line(const std::optional<Unprofiled>& unprofiled);
/// The member "unprofiled"; nothing without the flag.
void write_unprofiled_json(JsonWriter& json, const std::optional<Unprofiled>& unprofiled);

}  // namespace orrery::cli
