// How much of a change between two runs the clocks of their devices explain.
#pragma once

#include <string>
#include <vector>

#include "analyze/diff/run_diff.h"

namespace orrery::analyze {

struct ClockChange {
  double a_mhz = 0, b_mhz = 0;
  TimePs explained = 0;  ///< of RunDiff::change
  double explained_pct = 0;
  std::vector<std::string> reasons;  ///< of B: "software power cap"

  [[nodiscard]] bool explains_most() const { return explained_pct > 50; }
};

/// Kernels take as much longer as the clock is slower: of each class what that explains of its change, by what it adds
/// to the step. Clocks that are within 2 % explain nothing.
ClockChange clock_change(const RunDiff& diff, const causal::DeviceClock& a, const causal::DeviceClock& b);

}  // namespace orrery::analyze
