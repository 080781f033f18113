// What an alignment does to the times of each node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "trace/trace.h"

namespace orrery::job {

/// How the times of one node were changed.
struct NodeCorrection {
  std::string file;  ///< written
  std::uint64_t events = 0;
  std::uint64_t before_first = 0;  ///< events before the first observation of the node's clock: extrapolated
  std::uint64_t after_last = 0;    ///< the same after the last one
  TimePs least_ps = 0, median_ps = 0,
         most_ps = 0;  ///< what was added to the starts of events, the common origin not counted
  TimePs median_uncertainty_ps = 0, most_uncertainty_ps = 0;
};

/// Of every rank of the trace; nothing is written, and `file` is empty.
std::vector<NodeCorrection> describe_corrections(const trace::Trace& trace, const align::Alignment& alignment);

}  // namespace orrery::job
