// The clocks of all nodes at once, from everything that was observed: one smooth offset per node against the reference node.
//
// Model. x_i(t) is what the clock of node i shows more than the reference clock when the latter shows t: linear between knots of one grid,
// plus a constant from every step of the clock on. Crystals drift slowly: second differences of the knots are as large as those of a
// frequency that walks at random ("wander"), with the heavy tails of Student's t, since a daemon may slew a clock. A pair observation is x_to - x_from; a sighting of a shared event is E + x_i(E) with the
// event's unknown moment E. Both have heavy tails (a packet that waited, a rank that was late), so large residuals
// count by their size and not by its square (Huber), by iteratively reweighted least squares. That is convex: there is one answer. From there
// on what is wild counts less still.
//
// Solution. The moments E are eliminated; the rest is solved by conjugate gradients. The preconditioner is each node's own smoothing problem
// (a banded matrix, factored by Eigen) and one more, of a clock that all nodes have in common: against the reference alone a thousand nodes
// that agree with one another are held by one in a thousand of the observations. That takes a handful of iterations, each linear in the number
// of observations: nothing dense is ever formed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "align/observations.h"

namespace orrery::align {

/// From reference time `at_ns` on the clock of a node shows `jump_ns` more. When exactly is known to within the observations around it.
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

struct NodeClock {
  bool calibrated = false;        ///< connected to the reference by observations
  std::vector<double> offset_ns;  ///< x at the knots, without steps
  std::vector<double> sigma_ns;   ///< of each, from the spread of the observations
  std::vector<ClockStep> steps;
};

struct ClockFit {
  double first_knot_ns = 0;
  double spacing_ns = 1;
  std::size_t knots = 0;
  std::vector<NodeClock> nodes;
  std::vector<double> event_ns;              ///< reference time of every shared event
  std::vector<double> sighting_residual_ns;  ///< per sighting
  std::vector<double> pair_residual_ns;      ///< per pair observation
  double event_scale_ns = 0;                 ///< typical size of a sighting's residual (median absolute deviation as a standard deviation)
  double pair_scale = 0;                     ///< the same of pair residuals, in units of their sigma

  [[nodiscard]] double offset_ns(std::size_t node, double reference_ns) const;
  [[nodiscard]] double sigma_ns(std::size_t node, double reference_ns) const;
  /// The reference time at which the node's clock showed `reading_ns`.
  [[nodiscard]] double reference_time(std::size_t node, double reading_ns) const;
};

ClockFit fit_clocks(const Observations& observations, const FitOptions& options);

}  // namespace orrery::align
