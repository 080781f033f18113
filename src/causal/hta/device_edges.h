// Edges of device work: launches, the order on a stream, waits between streams, and host calls that wait for the
// device.
#pragma once

#include "base/result.h"
#include "causal/hta/edge_list.h"

namespace orrery::causal::hta {

/// `zero_weight_launch_edges`: HTA's CRITICAL_PATH_ADD_ZERO_WEIGHT_LAUNCH_EDGE. Fails where HTA's assertion does.
Status add_device_edges(const Rows& rows, const Window& window, bool zero_weight_launch_edges, EdgeList& edges);

}  // namespace orrery::causal::hta
