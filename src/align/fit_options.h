// What is known about the clocks before they are fitted: the span, the grid of knots, and where each jumps.
#pragma once

#include <cstdint>
#include <vector>

namespace orrery::align {

/// From reference time `at_ns` on the clock of a node shows `jump_ns` more. When exactly is known to within the
/// observations around it.
struct ClockStep {
  double at_ns = 0;
  double jump_ns = 0;
  double earliest_ns = at_ns, latest_ns = at_ns;
};

struct FitOptions {
  std::uint32_t reference = 0;
  double begin_ns = 0;  ///< reference time that the clocks must cover
  double end_ns = 0;
  double spacing_ns = 1e9;                         ///< of knots; made wider where the span would need too many
  double wander_ppm = 0.1;                         ///< per square root of a second, at least: the observations tell
  std::vector<std::vector<ClockStep>> steps = {};  ///< per node, by time; jumps are estimated. May be empty
};

}  // namespace orrery::align
