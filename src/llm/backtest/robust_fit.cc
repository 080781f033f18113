#include "llm/backtest/robust_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/linear_algebra.h"

// Iteratively reweighted least squares with Levenberg-Marquardt damping, first under a wide cap, then under the asked
// one; then a pattern search in the manner of Hooke and Jeeves, which needs no slopes and gets over their corners, and
// the former once more.

namespace orrery::llm {
namespace {

constexpr double kSmallestResidual = 0.005;  // below, squares: an absolute value has no slope to follow at 0
constexpr double kDifference = 1e-3;         // of the derivatives
constexpr int kMostSteps = 40;
constexpr int kMostDampings = 8;
constexpr double kEnough = 1e-6;  // of the loss that a step must gain
constexpr double kWideCap = 6;
constexpr double kFirstPattern = 0.1;  // ten percent
constexpr double kLastPattern = 0.004;

class Descent {
 public:
  Descent(const Residuals& residuals, const RobustFitOptions& options, double cap, std::vector<double> start)
      : residuals_(residuals), options_(options), cap_(cap), x_(std::move(start)) {
    value_ = value_at(x_);
  }

  void step_until_flat() {
    double damping = 1e-3;
    for (int step = 0; step < kMostSteps; ++step) {
      const double before = value_;
      if (!take_step(damping) || before - value_ < kEnough) return;
    }
  }

  void search_pattern() {
    double width = kFirstPattern;
    while (width >= kLastPattern) {
      // Again at the same width while that gains: constants that make up for each other move in turns.
      for (int sweep = 0; sweep < kMostSteps; ++sweep) {
        const double before = value_;
        for (std::size_t j = 0; j < x_.size(); ++j) {
          if (!try_move(j, width)) try_move(j, -width);
        }
        if (before - value_ < kEnough) break;
      }
      width /= 2;
    }
  }

  [[nodiscard]] const std::vector<double>& x() const { return x_; }
  [[nodiscard]] double value() const { return value_; }

 private:
  [[nodiscard]] double value_at(const std::vector<double>& x) {
    residuals_(x, scratch_);
    double square = 0;
    for (const double one : x) square += one * one;
    return robust_loss(scratch_, cap_) + options_.get().penalty * square;
  }

  bool accept(std::vector<double> candidate) {
    for (std::size_t j = 0; j < candidate.size(); ++j)
      candidate[j] = std::clamp(candidate[j], options_.get().lowest, options_.get().highest[j]);
    const double value = value_at(candidate);
    // Also where the loss is not a number.
    if (!(value < value_)) return false;
    value_ = value;
    x_ = std::move(candidate);
    return true;
  }

  bool try_move(std::size_t j, double by) {
    std::vector<double> candidate = x_;
    candidate[j] += by;
    return accept(std::move(candidate));
  }

  bool take_step(double& damping) {
    const std::size_t unknowns = x_.size();
    std::vector<double> here;
    residuals_(x_, here);
    Matrix slopes(here.size(), unknowns);
    for (std::size_t j = 0; j < unknowns; ++j) {
      std::vector<double> moved = x_;
      moved[j] += kDifference;
      residuals_(moved, scratch_);
      for (std::size_t i = 0; i < here.size(); ++i) slopes(i, j) = (scratch_[i] - here[i]) / kDifference;
    }
    std::vector<double> weights(here.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      // Beyond the cap a measurement costs the same wherever it is.
      weights[i] = std::abs(here[i]) >= cap_
                       ? 0
                       : 1 / std::max(std::abs(here[i]), kSmallestResidual) / static_cast<double>(here.size());
    }
    auto [normal, downhill] = normal_system(slopes, here, weights);
    for (std::size_t j = 0; j < unknowns; ++j) {
      normal(j, j) += 2 * options_.get().penalty;
      downhill[j] = -(downhill[j] + 2 * options_.get().penalty * x_[j]);
    }
    // Levenberg and Marquardt: with more damping a step is shorter, and turns downhill.
    for (int attempt = 0; attempt < kMostDampings; ++attempt, damping *= 10) {
      Matrix damped = normal;
      for (std::size_t j = 0; j < unknowns; ++j) damped(j, j) += damping;
      const std::vector<double> step = solve_symmetric(damped, downhill);
      std::vector<double> candidate = x_;
      // Unknowns are logarithms: none moves by more than two thirds at once.
      for (std::size_t j = 0; j < unknowns; ++j) candidate[j] += std::clamp(step[j], -0.5, 0.5);
      if (!accept(std::move(candidate))) continue;
      damping = std::max(damping / 10, 1e-6);
      return true;
    }
    return false;
  }

  std::reference_wrapper<const Residuals> residuals_;
  std::reference_wrapper<const RobustFitOptions> options_;
  double cap_;
  std::vector<double> x_;
  std::vector<double> scratch_;
  double value_ = 0;
};

}  // namespace

double robust_loss(const std::vector<double>& residuals, double cap) {
  if (residuals.empty()) return 0;
  double sum = 0;
  for (const double residual : residuals) sum += std::min(std::abs(residual), cap);
  return sum / static_cast<double>(residuals.size());
}

std::vector<double> fit_robustly(const Residuals& residuals, const RobustFitOptions& options) {
  if (options.highest.empty()) return {};
  const std::vector<double> start(options.highest.size(), 0);
  // From a start that is far off, all measurements lie beyond the cap and none says where to go: a wide cap first
  // (graduated non-convexity).
  Descent wide(residuals, options, kWideCap * options.cap, start);
  wide.step_until_flat();
  Descent descent(residuals, options, options.cap, start), from_wide(residuals, options, options.cap, wide.x());
  if (from_wide.value() < descent.value()) descent = from_wide;
  descent.step_until_flat();
  descent.search_pattern();
  descent.step_until_flat();
  return descent.x();
}

double rounded(double value) { return std::strtod(fmt::format("{:.4g}", value).c_str(), nullptr); }

}  // namespace orrery::llm
