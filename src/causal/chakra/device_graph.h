// Nodes and edges of device work: launches, the order on a stream, waits between streams, and host calls that wait for
// the device.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "causal/chakra/rank_graph.h"

namespace orrery::causal::chakra {

/// To be called after add_host_threads. A text: the original raises a ValueError for this reason, and goes on without
/// synchronisation. An Error: it stops.
Result<std::optional<std::string>> add_device_work(RankGraph& graph);

}  // namespace orrery::causal::chakra
