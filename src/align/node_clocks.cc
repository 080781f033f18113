#include "align/node_clocks.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace orrery::align {
namespace {

// Two would do if the spread of the observations and the wander of the clocks were known. They are estimated, of few
// clocks and seconds.
constexpr double kDeviations = 2.5;
constexpr double kUnknownNs = 1e12;  // a band this wide says that nothing is known

/// A moment of the reference clock at which the map bends or jumps, or its band does.
struct Bend {
  double reference_ns = 0;
  int side = 0;        // -1: just before that moment, 0: at it, 1: just after it
  double jump_ns = 0;  // of steps at that moment that have not happened yet
  double band_ns = 0;  // in addition to that of the fit: it is not known whether the clock was set already
};

class MapBuilder {
 public:
  MapBuilder(const Estimate& estimate, std::size_t node)
      : fit_(estimate.fit), node_(node), systematic_ns_(estimate.systematic_ns[node]) {}

  Result<trace::Clock> build() {
    for (std::size_t k = 0; k < fit_.knots; ++k)
      bends_.push_back({fit_.first_knot_ns + static_cast<double>(k) * fit_.spacing_ns});
    for (const ClockStep& step : fit_.nodes[node_].steps) add_step(step);
    std::stable_sort(bends_.begin(), bends_.end(), [](const Bend& a, const Bend& b) {
      return a.reference_ns != b.reference_ns ? a.reference_ns < b.reference_ns : a.side < b.side;
    });
    for (const Bend& bend : bends_) add_knot(bend);
    return trace::Clock::from_knots(knots_);
  }

 private:
  void add_step(const ClockStep& step) {
    const double unsure = std::abs(step.jump_ns);
    if (step.earliest_ns < step.at_ns) {
      bends_.push_back({step.earliest_ns});
      bends_.push_back({step.earliest_ns, 1, 0, unsure});
    }
    bends_.push_back({step.at_ns, -1, step.jump_ns, unsure});
    bends_.push_back({step.at_ns, 0, 0, unsure});
    if (step.latest_ns > step.at_ns) {
      bends_.push_back({step.latest_ns, -1, 0, unsure});
      bends_.push_back({step.latest_ns});
    }
  }

  /// How far a clock may be from the line between two knots that it does not follow: a quarter of the bend, if it
  /// changes its frequency half way.
  [[nodiscard]] double between_knots(double reference_ns) const {
    const std::vector<double>& x = fit_.nodes[node_].offset_ns;
    const double at = (reference_ns - fit_.first_knot_ns) / fit_.spacing_ns;
    const auto nearest = static_cast<std::ptrdiff_t>(std::llround(at));
    double largest = 0;
    for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(nearest - 1, 1); k <= nearest + 1 && k + 1 < std::ssize(x); ++k) {
      const auto i = static_cast<std::size_t>(k);
      largest = std::max(largest, std::abs(x[i - 1] - 2 * x[i] + x[i + 1]));
    }
    return largest / 4;
  }

  void add_knot(const Bend& bend) {
    const double offset = fit_.offset_ns(node_, bend.reference_ns) - bend.jump_ns;
    const double band =
        kDeviations * (fit_.sigma_ns(node_, bend.reference_ns) + systematic_ns_) + between_knots(bend.reference_ns);
    trace::ClockKnot knot;
    knot.to_ps = to_ps(bend.reference_ns) + bend.side;
    knot.from_ps = to_ps(bend.reference_ns + offset) + bend.side;
    const double whole = band + bend.band_ns;
    knot.uncertainty_ps = to_ps(whole < kUnknownNs ? whole : kUnknownNs);  // so does what is not a number
    // After a step back: earlier knots that show later readings are the ones that give way. The last of them moves to
    // just before.
    while (!knots_.empty() && knots_.back().from_ps >= knot.from_ps) {
      trace::ClockKnot moved = knots_.back();
      knots_.pop_back();
      const TimePs cut = moved.from_ps - knot.from_ps + 1;
      moved.from_ps -= cut;
      moved.to_ps -= cut;
      if (knots_.empty() || (moved.from_ps > knots_.back().from_ps && moved.to_ps > knots_.back().to_ps)) {
        knots_.push_back(moved);
        break;
      }
    }
    if (knots_.empty() || knot.to_ps > knots_.back().to_ps) knots_.push_back(knot);
  }

  const ClockFit& fit_;
  std::size_t node_;
  double systematic_ns_;
  std::vector<Bend> bends_;
  std::vector<trace::ClockKnot> knots_;
};

}  // namespace

Result<trace::Clock> node_clock(const Estimate& estimate, std::size_t node) {
  return MapBuilder(estimate, node).build();
}

}  // namespace orrery::align
