// A harder test of the graph than the replay of what was measured.
#pragma once

#include "link/step_graph.h"

namespace orrery::analyze {

/// Length of the step when every launch, gap and wait between streams takes the typical time of its kind in the window instead of its own,
/// and unexplained idleness takes none. The distance to the measured step is what individual delays contribute: how far the graph would be
/// off if it knew only the work itself.
TimePs typical_replay(const link::StepGraph& step);

}  // namespace orrery::analyze
