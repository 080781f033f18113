#include "align/world/true_clock.h"

#include <algorithm>
#include <cmath>

namespace orrery::align::test {
namespace {

constexpr double kGridS = 0.01;
constexpr double kBeforeS = 2;
constexpr double kMaxOffsetNs = 5e6;

/// Frequency error in ppm at every grid point, as the family has it.
std::vector<double> rates(ClockFamily family, double seconds, Random& random) {
  const auto count = static_cast<std::size_t>((seconds + 2 * kBeforeS) / kGridS) + 2;
  const double reach = family == ClockFamily::constant ? 0 : family == ClockFamily::fast ? 100 : 30;
  std::vector<double> rate(count, random.uniform(-reach, reach));
  if (family == ClockFamily::wander || family == ClockFamily::steps) {
    double walk = 0;
    for (double& ppm : rate) {
      ppm += walk;
      walk += random.normal(0.1 * std::sqrt(kGridS));
    }
  }
  if (family == ClockFamily::temperature) {
    const double period_s = random.uniform(8, 25), phase = random.uniform(0, 6.28),
                 warm_at_s = random.uniform(0.1, 0.8) * seconds;
    const double warming_ppm = random.normal(1);
    for (std::size_t i = 0; i < count; ++i) {
      const double t = static_cast<double>(i) * kGridS;
      rate[i] += std::sin(6.283185307 * t / period_s + phase);
      if (t > warm_at_s) rate[i] += warming_ppm * (1 - std::exp(-(t - warm_at_s) / 8));
    }
  }
  if (family == ClockFamily::slew) {
    const double ppm = random.sign() * random.uniform(50, 500), begin_s = random.uniform(0.2, 0.6) * seconds;
    const double end_s = begin_s + random.uniform(50, 500) / std::abs(ppm);
    for (std::size_t i = 0; i < count; ++i) {
      const double t = static_cast<double>(i) * kGridS - kBeforeS;
      if (t >= begin_s && t < end_s) rate[i] += ppm;
    }
  }
  return rate;
}

}  // namespace

std::string_view to_string(ClockFamily family) {
  switch (family) {
    case ClockFamily::constant: return "constant";
    case ClockFamily::linear: return "drift 30 ppm";
    case ClockFamily::fast: return "drift 100 ppm";
    case ClockFamily::wander: return "wander";
    case ClockFamily::temperature: return "temperature";
    case ClockFamily::slew: return "slew";
    case ClockFamily::steps: return "steps";
  }
  return {};
}

TrueClock::TrueClock(ClockFamily family, double seconds, Random& random) {
  double ahead = random.uniform(-kMaxOffsetNs, kMaxOffsetNs);
  for (const double ppm : rates(family, seconds, random)) {
    ahead_ns_.push_back(ahead);
    ahead += ppm * 1e3 * kGridS;  // 1 ppm for 1 s is 1e3 ns
  }
}

double TrueClock::read_unset(double t_ns) const {
  const double at = std::clamp((t_ns / 1e9 + kBeforeS) / kGridS, 0.0, static_cast<double>(ahead_ns_.size() - 2));
  const auto i = static_cast<std::size_t>(at);
  return t_ns + ahead_ns_[i] + (at - static_cast<double>(i)) * (ahead_ns_[i + 1] - ahead_ns_[i]);
}

double TrueClock::read(double t_ns) const {
  double reading = read_unset(t_ns);
  for (const TrueStep& step : steps_) reading += t_ns >= step.at_ns ? step.jump_ns : 0;
  return reading;
}

bool TrueClock::is_ambiguous(double t_ns) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const TrueStep& step) {
    return step.jump_ns < 0 && std::abs(t_ns - step.at_ns) <= 1.001 * std::abs(step.jump_ns);
  });
}

}  // namespace orrery::align::test
