// What graphs launched, called one by one: a launch of a graph is one call below which many works run, and a recording
// of its capture has the rows that asked for each.
#pragma once

#include <span>
#include <vector>

#include "analyze/capture/join_captures.h"
#include "replay/torch/source/captured_program.h"
#include "replay/torch/source/rank_source.h"
#include "trace/host_arguments.h"

namespace orrery::replay::torch {

/// Puts the rows of captures where graphs were launched: behind the rows of the host trace, once per launch, and into
/// the order at the moment of the launch, on its thread. Works below the launch are then those of these rows; what the
/// capture does not tell, and what communicates, stays work of the launch. `source` gets a host trace of its own, and
/// `arguments` those of its rows. Storages of a capture are others than those of the job, and the same in all launches
/// of its graphs. O(rows of all launches).
void call_graphs(std::span<const analyze::JoinedWork> joined, const std::vector<std::vector<CapturedProgram>>& programs,
                 RankSource& source, trace::HostArguments& arguments);

}  // namespace orrery::replay::torch
