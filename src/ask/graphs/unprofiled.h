// The answer is about the run as it would be if nobody had recorded it: with what was read off the recording itself, or
// with the step time that the user knows.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "analyze/path/causal_path.h"
#include "analyze/whatif/recording_cost.h"
#include "ask/context.h"
#include "causal/causal_graph.h"
#include "trace/trace.h"

namespace orrery::ask {

/// What the recorder was found to cost.
struct Unprofiled {
  TimePs recorded = 0;                      ///< what the window took with the profiler
  TimePs length = 0;                        ///< and takes without
  std::pair<TimePs, TimePs> interval = {};  ///< see RecordingCost; of a time that the user knows, that time
  std::size_t events = 0;
  TimePs per_event = 0;
  bool explains = true;  ///< false: it does not explain the step time that the user knows
};

/// Of the whole window, with nothing taken off yet. None, with a remark: there is nothing to measure it by.
std::optional<Unprofiled> unprofiled_of(Context& context, const causal::CausalGraph& job);

/// Takes what recording costs off the graph, where that is asked: by `step`, what a step is known to take without a
/// profiler, or with `without_profiler` by what the recording itself tells. None: it is not
/// asked, or, with a remark, there is nothing to measure it by.
std::optional<Unprofiled> take_profiler_off(Context& context, bool without_profiler, std::optional<TimePs> step,
                                            causal::CausalGraph& job);

/// The same for what answers from traces: puts all events where they would be, with a remark. Ranks of one job are
/// taken together, on one clock, since what one of them is late by the others wait for.
Status retime(Context& context, trace::Trace& trace);

/// One line for people, and the member "unprofiled" for programs.
void tell_unprofiled(report::Answer& answer, const std::optional<Unprofiled>& unprofiled);

/// Where the answer about a run as recorded hangs on what recording it cost: a remark, and the clause for the headline
/// if most of the host's part is that (analyze::recording_clause).
std::string remark_on_recording(Context& context, const causal::CausalGraph& job, const analyze::PathSums& path);

}  // namespace orrery::ask
