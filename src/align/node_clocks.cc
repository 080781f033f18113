#include "align/node_clocks.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery::align {
namespace {

TimePs to_ps(double ns) { return static_cast<TimePs>(std::llround(ns * 1e3)); }

}  // namespace

Result<trace::Clock> node_clock(const Estimate& estimate, std::size_t node) {
  const ClockFit& fit = estimate.fit;
  const NodeClock& clock = fit.nodes[node];
  // Moments of the reference clock at which the map bends or jumps, in order; of a jump the moment just before it and the moment itself.
  struct Bend {
    double reference;
    bool before_step;
  };
  std::vector<Bend> bends;
  for (std::size_t k = 0; k < fit.knots; ++k) bends.push_back({fit.first_knot_ns + static_cast<double>(k) * fit.spacing_ns, false});
  for (const ClockStep& step : clock.steps) {
    bends.push_back({step.at_ns, true});
    bends.push_back({step.at_ns, false});
  }
  std::sort(bends.begin(), bends.end(), [](const Bend& a, const Bend& b) {
    return a.reference != b.reference ? a.reference < b.reference : a.before_step > b.before_step;
  });
  std::vector<trace::ClockKnot> knots;
  for (const Bend& bend : bends) {
    double offset = fit.offset_ns(node, bend.reference);
    for (const ClockStep& step : clock.steps) {
      if (bend.before_step && step.at_ns == bend.reference) offset -= step.jump_ns;
    }
    trace::ClockKnot knot;
    knot.to_ps = to_ps(bend.reference) - (bend.before_step ? 1 : 0);
    knot.from_ps = to_ps(bend.reference + offset) - (bend.before_step ? 1 : 0);
    knot.uncertainty_ps = to_ps(2 * (fit.sigma_ns(node, bend.reference) + estimate.systematic_ns[node]));
    // After a step back: earlier knots that show later readings are the ones that give way. The last of them moves to just before.
    while (!knots.empty() && knots.back().from_ps >= knot.from_ps) {
      trace::ClockKnot moved = knots.back();
      knots.pop_back();
      const TimePs cut = moved.from_ps - knot.from_ps + 1;
      moved.from_ps -= cut;
      moved.to_ps -= cut;
      if (knots.empty() || (moved.from_ps > knots.back().from_ps && moved.to_ps > knots.back().to_ps)) {
        knots.push_back(moved);
        break;
      }
    }
    if (knots.empty() || knot.to_ps > knots.back().to_ps) knots.push_back(knot);
  }
  return trace::Clock::from_knots(knots);
}

}  // namespace orrery::align
