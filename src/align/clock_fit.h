// The clocks of all nodes at once, from everything that was observed: one smooth offset per node against the reference
// node.
//
// Model. x_i(t) is what the clock of node i shows more than the reference clock when the latter shows t: linear between
// knots of one grid, plus a constant from every step of the clock on. Crystals drift slowly: second differences of the
// knots are as large as those of a frequency that walks at random ("wander"), with the heavy tails of Student's t,
// since a daemon may slew a clock. A pair observation is x_to - x_from; a sighting of a shared event is E + x_i(E) with
// the event's unknown moment E. Both have heavy tails (a packet that waited, a rank that was late), so the fit is an
// M-estimator (robust.h): residuals in units of their scale, Huber's loss, by iteratively reweighted least squares.
// That is convex: there is one answer. From there a redescending influence function takes out what is an outlier to
// that answer.
//
// Solution. The moments E are eliminated; the rest is solved by conjugate gradients. The preconditioner is each node's
// own smoothing problem (a banded matrix, factored by Eigen) and one more, of a clock that all nodes have in common:
// against the reference alone a thousand nodes that agree with one another are held by one in a thousand of the
// observations. That takes a handful of iterations, each linear in the number of observations: nothing dense is ever
// formed.
#pragma once

#include <cstddef>
#include <vector>

#include "align/clock_basis.h"
#include "align/observations.h"

namespace orrery::align {

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
  double event_scale_ns =
      0;                  ///< scale of the residuals of sightings (median absolute deviation as a standard deviation)
  double pair_scale = 0;  ///< the same of pair residuals, in units of their sigma

  [[nodiscard]] double offset_ns(std::size_t node, double reference_ns) const;
  [[nodiscard]] double sigma_ns(std::size_t node, double reference_ns) const;
  /// The reference time at which the node's clock showed `reading_ns`.
  [[nodiscard]] double reference_time(std::size_t node, double reading_ns) const;
};

ClockFit fit_clocks(const Observations& observations, const FitOptions& options);

}  // namespace orrery::align
