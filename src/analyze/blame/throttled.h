// Ranks whose devices were clocked lower than the others'.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "causal/causal_graph.h"

namespace orrery::analyze {

struct Throttled {
  double mhz = 0;
  double typical_mhz = 0;            ///< the median of the ranks whose clock is known
  std::vector<std::string> reasons;  ///< "software power cap"; empty: no counter says
};

/// By place in CausalGraph::ranks; none: its clock is at most 5 % below the median, or not known.
std::vector<std::optional<Throttled>> find_throttled(const causal::CausalGraph& job);

/// "900 MHz instead of 1,898: software power cap"
std::string in_words(const Throttled& throttled);

}  // namespace orrery::analyze
