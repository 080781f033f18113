// Finds where a clock was set: an NTP daemon moved it by more than any crystal drifts.
#pragma once

#include <cstdint>
#include <optional>
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

/// By time; of equal times the lower residual first.
void sort_points(std::vector<ResidualPoint>& points);

/// The most significant jump of any node's residuals, or none. `series` per node, sorted; `known` per node: where there
/// is one already none is looked for. A jump is the difference of the medians of a second, a quarter or a sixteenth
/// before and after: the fit has followed a large step on its way from knot to knot, so that only what is near tells.
/// It counts if it is more than 3 us and ten times its standard error; six times within the shorter reaches, where all
/// that a slow disturbance does is on both sides. A clock that is slewed changes as much, but not from one observation
/// to the next: what the ten observations on either side do not show is no step, nor is anything within a second of the
/// ends. It is placed between the two observations where the sum of absolute deviations from the two levels is least.
std::optional<StepCandidate> find_step(const std::vector<std::vector<ResidualPoint>>& series,
                                       const std::vector<std::vector<ClockStep>>& known);

/// Whether a step at `at_ns` would be one of those again: some 0.5 s apart, or within what is known of when that was.
bool is_known(const std::vector<ClockStep>& known, double at_ns);

inline constexpr double kSmallestJumpNs = 3'000;

// Finds where a clock was set if there is only one measurement every few seconds: offsets per round, windows of probes.

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
