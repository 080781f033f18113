// A job read rank by rank: of each rank a reduced graph stays (causal/reduce/reduced_rank.h), and its trace goes. So a
// job takes the memory of the ranks in flight and some hundred bytes per communication.
//
// What a rank's window is, and how its clock is to be corrected, follows from all ranks. Mostly every rank has the same
// steps and a good clock; then each file is read once. Ranks for which it turns out otherwise are read again.
#pragma once

#include "base/result.h"
#include "causal/causal_graph.h"
#include "causal/join/join_ranks.h"
#include "causal/reduce/reduced_rank.h"
#include "job/read/reading.h"
#include "job/read/source.h"
#include "job/recorded_job.h"

namespace orrery::job {

/// Whether the files can be read one by one: their format has a file per rank that stands for itself, and each tells
/// which rank it is of.
bool can_be_streamed(const Source& source);

/// The graph that RecordedJob would make for the same request, of reduced graphs or, without reduction, the same to the
/// last edge; at most two traces are in memory at once. Remarks and errors are those of RecordedJob. `step_spans`: as
/// JobWindow::step_spans.
Result<causal::CausalGraph> stream_job(const Source& source, ClockChoice choice, const JobWindowRequest& window,
                                       const causal::JoinOptions& options, const Reading& reading,
                                       causal::Reduction reduction = causal::Reduction::reduced,
                                       std::vector<TimePs>* step_spans = nullptr);

}  // namespace orrery::job
