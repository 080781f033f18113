// Order statistics that a few wild values cannot move, and how much a wild value counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery::align {

/// The lower median; reorders `values`. 0 if there are none.
double median(std::span<double> values);
/// The value with a share of `q` (0 to 1) of the others below it; reorders `values`. 0 if there are none.
double quantile(std::span<double> values, double q);

/// The median of residuals that could be anything, as a standard deviation: as many of them as there are unknowns are small because the fit
/// made them so. `sizes` is all `count` of them or a sample; `otherwise` is returned if there are no more than unknowns.
double typical_size(std::vector<double> sizes, std::size_t count, std::size_t unknowns, double otherwise);

/// How much an observation counts that lies `u` typical residuals away.
enum class Say : std::uint8_t {
  full,      ///< as much as any
  bounded,   ///< by its distance, not its square (Huber): convex, so that there is one answer
  fleeting,  ///< less and less the further away: from the answer of `bounded` on, what is wild no longer pulls
};

constexpr double kHuber = 0.7;  ///< residuals beyond this many typical ones count by their size, not its square
constexpr double kWild = 4;     ///< typical residuals from which on an observation is wild

inline double weight_of(Say say, double u) {
  if (say == Say::full) return 1;
  const double huber = u <= kHuber ? 1 : kHuber / u;
  return say == Say::bounded ? huber : huber / (1 + u * u / (kWild * kWild));
}

}  // namespace orrery::align
