// Fits a few unknowns to many measurements, some of which may be wrong. With r_i(x) the residuals, x the distances of
// the unknowns from where they start:
//
//     minimise  mean_i min(|r_i(x)|, cap)  +  penalty |x|^2        |x_j| <= bound_j
//
// Absolute errors, so that a few bad measurements do not pull; the cap, so that a faulty one pulls no more than any
// other bad one; the penalty, so that what the measurements do not say stays where it was. Steps of Gauss and Newton on
// reweighted squares (IRLS, with Levenberg's damping) come close; since the residuals have kinks (the best of several
// tiles), a pattern search along the axes finishes. No randomness: the same input gives the same bits.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace orrery::llm {

/// Fills one residual per measurement; `x` has one entry per unknown.
using Residuals = std::function<void(const std::vector<double>& x, std::vector<double>& residuals)>;

struct RobustFitOptions {
  double cap = 0.5;
  double penalty = 0.002;
  std::vector<double> highest = {};  ///< per unknown, from above
  double lowest = -3;                ///< of every unknown
};

/// The loss without the penalty.
double robust_loss(const std::vector<double>& residuals, double cap);

/// Starts at 0 in every unknown, and never ends at a higher loss with penalty than there.
std::vector<double> fit_robustly(const Residuals& residuals, const RobustFitOptions& options);

/// To four digits: what files of constants say, and more than any fit knows.
double rounded(double value);

}  // namespace orrery::llm
