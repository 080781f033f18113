// The loss functions of the robust fit, and the scale of its residuals.
//
// An M-estimator (Huber, "Robust statistics", 1981) minimises the sum of rho(u) over the observations, u = residual /
// scale. rho is the loss function, its derivative psi the influence function: how hard an observation pulls.
// Iteratively reweighted least squares (IRLS) gives each the weight psi(u) / u and solves a linear problem, until the
// weights settle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/statistics.h"

namespace orrery::align {

/// The scale of residuals: their median size as a standard deviation, of those that could be anything: as many as there
/// are unknowns are small because the fit made them so. `sizes` is all `count` of them or a sample; `otherwise` is
/// returned if there are no more than unknowns.
double residual_scale(std::vector<double> sizes, std::size_t count, std::size_t unknowns, double otherwise);

enum class Loss : std::uint8_t {
  squares,       ///< rho = u^2 / 2: the influence grows with the distance
  huber,         ///< u^2 / 2 up to kHuber, then linear: the influence is bounded. Convex, so that there is one answer
  redescending,  ///< Huber's influence, less the further away beyond kOutlier: what is an outlier in the answer of
                 ///< `huber` pulls no longer
};

constexpr double kHuber = 0.7;  ///< in units of the scale: where Huber's loss becomes linear
constexpr double kOutlier = 4;  ///< in units of the scale: where the influence has fallen to a half of Huber's

/// psi(u) / u, for u >= 0.
inline double weight_of(Loss loss, double u) {
  if (loss == Loss::squares) return 1;
  const double huber = huber_weight(u, kHuber);
  return loss == Loss::huber ? huber : huber / (1 + u * u / (kOutlier * kOutlier));
}

}  // namespace orrery::align
