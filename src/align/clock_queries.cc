// What a fit says about moments between its knots.
#include <algorithm>

#include "align/clock_fit.h"

namespace orrery::align {
namespace {

double interpolate(const std::vector<double>& at_knots, double position) {
  const double last = static_cast<double>(at_knots.size() - 1);
  const double at = std::clamp(position, 0.0, last);
  const auto knot = std::min(static_cast<std::size_t>(at), at_knots.size() - 2);
  const double fraction = at - static_cast<double>(knot);
  return (1 - fraction) * at_knots[knot] + fraction * at_knots[knot + 1];
}

}  // namespace

double ClockFit::offset_ns(std::size_t node, double reference_ns) const {
  double sum = interpolate(nodes[node].offset_ns, (reference_ns - first_knot_ns) / spacing_ns);
  for (const ClockStep& step : nodes[node].steps) {
    if (reference_ns >= step.at_ns) sum += step.jump_ns;
  }
  return sum;
}

double ClockFit::sigma_ns(std::size_t node, double reference_ns) const {
  return interpolate(nodes[node].sigma_ns, (reference_ns - first_knot_ns) / spacing_ns);
}

double ClockFit::reference_time(std::size_t node, double reading_ns) const {
  double reference = reading_ns;
  for (int i = 0; i < 4; ++i) reference = reading_ns - offset_ns(node, reference);
  return reference;
}

}  // namespace orrery::align
