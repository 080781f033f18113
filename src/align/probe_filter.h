// From exchanges of packets to differences between clocks.
#pragma once

#include <span>
#include <vector>

#include "align/clock_fit.h"
#include "align/observations.h"

namespace orrery::align {

/// One exchange: `from` sent at t1 and had the answer at t4 on its clock; `to` received at t2 and answered at t3 on its
/// own. Nanoseconds since the job's epoch.
struct ProbeExchange {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double t1_ns = 0, t2_ns = 0, t3_ns = 0, t4_ns = 0;
};

struct ProbeFilterOptions {
  double window_ns = 1e9;
  double quantile = 0;  ///< of the delays of a window: the fastest packet waited for nobody
};

/// One observation per pair of nodes and window. A packet takes a delay that is never negative and mostly too long, so
/// the fastest ones of either direction tell: half the difference of their delays is how far the clocks are from where
/// `guess` has them. `guess` removes the drift within a window; null takes the medians of either direction, for a first
/// guess.
std::vector<PairObservation> filter_probes(std::span<const ProbeExchange> probes, const ClockFit* guess,
                                           const ProbeFilterOptions& options = {});

}  // namespace orrery::align
