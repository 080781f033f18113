// From everything that is known about the clocks to the clocks: probes, given offsets and shared events together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/clock_fit.h"
#include "align/observations.h"

namespace orrery::align {

// From exchanges of packets to differences between clocks.

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

struct Sources {
  std::size_t nodes = 0;
  std::vector<ProbeExchange> probes;
  std::vector<PairObservation> pairs;       ///< given offsets, windows of probes
  std::vector<EventObservation> sightings;  ///< by event and node; a node sees an event once
  std::size_t events = 0;
};

struct EstimateOptions {
  std::uint32_t reference = 0;
  double begin_ns = 0, end_ns = 0;  ///< readings that the clocks must cover
  std::size_t most_steps = 64;
};

struct Estimate {
  ClockFit fit;
  std::vector<double> systematic_ns =
      {};  ///< per node: what repetition cannot average out (unequal delays to and fro, a rank always late)
  std::vector<bool> measured = {};  ///< per node: whether probes, windows and offsets connect it to the reference
};

/// Fits, looks for steps in what the fit leaves over, and fits again with them until none is left.
Estimate estimate_clocks(const Sources& sources, const EstimateOptions& options);

}  // namespace orrery::align
