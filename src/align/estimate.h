// From everything that is known about the clocks to the clocks: probes, given offsets and shared events together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/clock_fit.h"
#include "align/probe_filter.h"

namespace orrery::align {

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
