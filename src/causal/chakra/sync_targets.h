// Which operators device work makes wait, as chakra_trace_link reads it from the critical path.
#pragma once

#include <vector>

#include "causal/chakra/device_trace.h"
#include "causal/chakra/sync_path.h"

namespace orrery::causal::chakra {

/// "This operator starts only after that work is done."
struct SyncTarget {
  std::uint32_t work;  ///< into DeviceWork
  std::uint32_t op;    ///< into HostOps
};

/// By work, and of one work in the order in which the original finds them; with repeats. The path's synchronisations
/// are between external ids: whatever has the id of the waiting end makes the next operator of any thread wait for the
/// last event with the id of the other.
std::vector<SyncTarget> find_sync_targets(const trace::RankTrace& rank, const DeviceTrace& device,
                                          const SyncPath& path);

}  // namespace orrery::causal::chakra
