#include "simulate/collective/plan.h"

#include <cmath>

namespace orrery::simulate {

TimePs phase_beta_ps(const PlanPhase& phase, double bytes) {
  constexpr double kNoise = 1e-12;  // as in FluidNetwork: rounding errors do not cost a picosecond
  const double ps = std::ceil(bytes * phase.seconds_per_byte * static_cast<double>(kPsPerSecond) * (1 - kNoise));
  return ps < static_cast<double>(kLongestPs) ? static_cast<TimePs>(ps) : kLongestPs;
}

TimePs Plan::alpha_ps() const {
  TimePs sum = launch_ps;
  for (const PlanPhase& phase : phases) sum += phase.alpha_ps;
  return sum;
}

TimePs Plan::beta_ps(double bytes) const {
  TimePs sum = 0;
  for (const PlanPhase& phase : phases) {
    const TimePs beta = phase_beta_ps(phase, bytes);
    if (beta >= kLongestPs - sum) return kLongestPs;
    sum += beta;
  }
  return sum;
}

void find_bottleneck(PlanPhase& phase, const machine::Network& network) {
  double slowest = 0;
  for (const LinkShare& share : phase.shares) {
    const double seconds = share.weight / network.links()[share.link].bytes_per_second;
    if (seconds <= slowest) continue;
    slowest = seconds;
    phase.bottleneck = share.link;
  }
  phase.seconds_per_byte = phase.bytes_per_byte * slowest;
}

}  // namespace orrery::simulate
