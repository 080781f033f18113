// Finds where a clock was set: an NTP daemon moved it by more than any crystal drifts.
#pragma once

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

}  // namespace orrery::align
