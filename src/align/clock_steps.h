// Finds where a clock was set: an NTP daemon moved it by more than any crystal drifts.
#pragma once

#include <vector>

#include "align/clock_fit.h"

namespace orrery::align {

/// What one observation says about the clock of a node once the fit is taken away, at reference time `at_ns`.
struct ResidualPoint {
  double at_ns = 0;
  double residual_ns = 0;
};

struct StepCandidate {
  std::uint32_t node = 0;
  ClockStep step;
  double significance = 0;  ///< the jump in units of its standard error
};

/// The most significant jump of any node's residuals, or none. `series` per node, in any order. A jump is the difference of the medians of a
/// second before and after, and counts if it is ten times its standard error and more than 3 us. It is placed between the two observations
/// where the sum of absolute deviations from the two levels is least. Of the reference nothing is returned: its steps are everybody else's.
std::vector<StepCandidate> find_steps(std::vector<std::vector<ResidualPoint>> series, std::uint32_t reference);

}  // namespace orrery::align
