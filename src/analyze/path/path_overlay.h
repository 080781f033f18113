// Which events and arrows show a critical path in the original trace.
#pragma once

#include <vector>

#include "analyze/path/causal_path.h"
#include "causal/hta/critical_path.h"
#include "formats/kineto/overlay_writer.h"

namespace orrery::analyze {

struct OverlayOptions {
  bool all_edges = false;      ///< arrows for every edge, not only the critical ones that lead from lane to lane
  bool only_critical = false;  ///< leave out complete events that are not critical
};

/// HTA's overlay: the same events marked, the same arrows, types and weights.
kineto::Overlay make_overlay(const causal::hta::CriticalPath& path, const OverlayOptions& options);

/// One per rank. Events with time on the path are marked; arrows lead from lane to lane along it (launches, waits,
/// handoffs). An arrow between two ranks has one end in the overlay of each, with one number.
std::vector<kineto::Overlay> make_overlays(const causal::CausalGraph& job, const PathSums& path,
                                           const OverlayOptions& options);

}  // namespace orrery::analyze
