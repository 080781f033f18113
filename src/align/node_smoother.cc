#include "align/node_smoother.h"

#include <algorithm>

namespace orrery::align {
namespace {

constexpr double kStepWeight = 1e-14;  // per ns^2, next to nothing: keeps two steps with no observation in between solvable

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

/// Of the inverse Z only what lies in the pattern of L is needed (Takahashi's equations): column j of Z follows from the columns after it,
/// Z_ij = [i = j] / D_j - sum over k > j of Z_ik L_kj.
std::vector<double> NodeSmoother::inverse_diagonal() const {
  const Eigen::SparseMatrix<double> lower = factor_->matrixL();
  const int* const begins = lower.outerIndexPtr();
  const int* const rows = lower.innerIndexPtr();
  const double* const factor = lower.valuePtr();
  std::vector<double> inverse(static_cast<std::size_t>(lower.nonZeros())), diagonal(width_);  // Z below its diagonal, where L is; and on it
  const auto z = [&](int row, int column) {
    if (row == column) return diagonal[static_cast<std::size_t>(row)];
    if (row < column) std::swap(row, column);
    return inverse[static_cast<std::size_t>(std::lower_bound(rows + begins[column], rows + begins[column + 1], row) - rows)];
  };
  for (int j = static_cast<int>(width_); j-- > 0;) {
    const int end = begins[j + 1];
    const int first = begins[j] < end && rows[begins[j]] == j ? begins[j] + 1 : begins[j];
    double on_diagonal = 1 / factor_->vectorD()[j];
    for (int p = first; p < end; ++p) {
      double sum = 0;
      for (int q = first; q < end; ++q) sum -= z(rows[p], rows[q]) * factor[q];
      inverse[static_cast<std::size_t>(p)] = sum;
      on_diagonal -= sum * factor[p];
    }
    diagonal[static_cast<std::size_t>(j)] = on_diagonal;
  }
  std::vector<double> ordered(width_);
  for (std::size_t i = 0; i < width_; ++i)
    ordered[i] = diagonal[static_cast<std::size_t>(factor_->permutationP().indices()[static_cast<Eigen::Index>(i)])];
  return ordered;
}

}  // namespace orrery::align
