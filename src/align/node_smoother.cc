#include "align/node_smoother.h"

#include <algorithm>

namespace orrery::align {
namespace {

constexpr double kStepWeight = 1e-20;  // per ns^2: a step of minutes is as good as any; keeps two of them with nothing in between solvable

}  // namespace

void NodeSmoother::clear() {
  for (std::vector<double>* sums : {&diagonal_, &below_, &step_rows_}) std::fill(sums->begin(), sums->end(), 0.0);
}

void NodeSmoother::add(const Place& at, double weight) {
  const double a = 1 - at.fraction, b = at.fraction;
  diagonal_[at.knot] += weight * a * a;
  below_[at.knot] += weight * a * b;
  diagonal_[at.knot + 1] += weight * b * b;
  for (std::uint32_t s = 0; s < at.steps; ++s) {
    step_rows_[s * width_ + at.knot] += weight * a;
    step_rows_[s * width_ + at.knot + 1] += weight * b;
    for (std::uint32_t r = 0; r <= s; ++r) step_rows_[s * width_ + diagonal_.size() + r] += weight;
  }
}

void NodeSmoother::factor(double slope_weight, std::span<const double> bend_weights) {
  std::vector<Eigen::Triplet<double>> entries;
  const int knots = static_cast<int>(diagonal_.size());
  for (int k = 0; k < knots; ++k) {
    entries.emplace_back(k, k, diagonal_[static_cast<std::size_t>(k)]);
    if (k + 1 == knots) continue;
    entries.emplace_back(k + 1, k, below_[static_cast<std::size_t>(k)] - slope_weight);
    entries.emplace_back(k, k, slope_weight);
    entries.emplace_back(k + 1, k + 1, slope_weight);
    if (k == 0) continue;
    const double weight = bend_weights[static_cast<std::size_t>(k)];
    constexpr double kBend[3] = {1, -2, 1};
    for (int p = 0; p < 3; ++p) {
      for (int q = 0; q <= p; ++q) entries.emplace_back(k - 1 + p, k - 1 + q, weight * kBend[p] * kBend[q]);
    }
  }
  for (std::size_t s = 0; s < width_ - diagonal_.size(); ++s) {
    for (std::size_t column = 0; column <= diagonal_.size() + s; ++column)
      entries.emplace_back(knots + static_cast<int>(s), static_cast<int>(column), step_rows_[s * width_ + column]);
    entries.emplace_back(knots + static_cast<int>(s), knots + static_cast<int>(s), kStepWeight);
  }
  Eigen::SparseMatrix<double> matrix(static_cast<Eigen::Index>(width_), static_cast<Eigen::Index>(width_));
  matrix.setFromTriplets(entries.begin(), entries.end());
  if (!factor_) {
    factor_ = std::make_unique<Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>>();
    factor_->analyzePattern(matrix);  // the same in every round
  }
  factor_->factorize(matrix);
}

}  // namespace orrery::align
