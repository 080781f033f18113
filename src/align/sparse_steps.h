// Finds where a clock was set if there is only one measurement every few seconds: offsets per round, windows of probes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "align/clock_steps.h"

namespace orrery::align {

/// What one measurement says about the offset of a node's clock, those of the others taken from the fit.
struct OffsetPoint {
  double at_ns = 0;
  double offset_ns = 0;
};

/// Offset over time, both in ns; time since the middle of the gap that a step lies in.
struct OffsetLine {
  double slope = 0, height_ns = 0;
  [[nodiscard]] double at(double since_middle_ns) const { return height_ns + slope * since_middle_ns; }
};

struct SparseStep {
  StepCandidate candidate;
  OffsetLine before, after;  ///< what the clock did on either side
};

/// The clearest step of any node, or none. `series` per node, in any order; measurements of one second count as one,
/// their median. A clock is followed along a straight line from either side to the middle of a gap; what is missing
/// there is a step if it is ten times what is missing at gaps typically, more than 3 us, and if one line with that step
/// explains the measurements around it, as it does not where a daemon slews; `known` as in find_step. It needs no fit
/// that follows the clock, and none that has ironed the step out.
std::optional<SparseStep> find_sparse_step(std::vector<std::vector<OffsetPoint>> series,
                                           const std::vector<std::vector<ClockStep>>& known);

/// The step with its place told by what else was seen of the clock meanwhile, `points` in any order: where the sum of
/// the distances from the two lines is least. As it is if nothing was seen.
ClockStep place_between(const SparseStep& found, std::vector<OffsetPoint> points);

}  // namespace orrery::align
