// Work handed from one host thread to another: the backward pass on the autograd thread while the main thread waits for it.
#pragma once

#include <vector>

#include "link/host_lanes.h"

namespace orrery::link {

/// The segment `segment` of lane `waiter` is a wait for lane `worker`, which was idle when the segment began, worked from boundary
/// `first` to boundary `last` within it, and was idle again when it ended.
struct Handoff {
  std::uint32_t waiter;
  std::uint32_t segment;
  std::uint32_t worker;
  std::uint32_t first;
  std::uint32_t last;
};

/// Nothing in a trace says that one thread waits for another, so this is inferred: a segment of at least 20 us without a runtime call in which
/// another thread, idle before and after, was busy for at least half of the time. Of several workers the busiest counts, the lower lane
/// among equals.
std::vector<Handoff> find_handoffs(const trace::RankTrace& rank, const std::vector<HostLane>& lanes);

}  // namespace orrery::link
