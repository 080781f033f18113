#include "base/linear_algebra.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>

namespace orrery {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Keeps the normal equations solvable where two regressors are the same in all runs.
constexpr double kRidge = 1e-9;
// Columns that are this much smaller than the first count as dependent on the others.
constexpr double kRankThreshold = 1e-10;
// Newton's method converges in a handful of steps; what has not by then goes to infinity, and no further.
constexpr int kNewtonSteps = 30;
constexpr double kConverged = 1e-9;

// Looked at where they are: fits solve hundreds of thousands of systems of a handful of unknowns, for which a copy is
// half the work.
Eigen::Map<const MatrixXd> eigen_of(const Matrix& matrix) {
  return {matrix.data(), static_cast<Eigen::Index>(matrix.rows()), static_cast<Eigen::Index>(matrix.columns())};
}
Eigen::Map<const VectorXd> eigen_of(std::span<const double> values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}
std::vector<double> values_of(const VectorXd& vector) { return {vector.data(), vector.data() + vector.size()}; }

VectorXd weighted_line(const Eigen::Ref<const MatrixXd>& x, const Eigen::Ref<const VectorXd>& y,
                       const Eigen::Ref<const VectorXd>& weights) {
  const MatrixXd weighted = weights.asDiagonal() * x;
  MatrixXd normal = x.transpose() * weighted;
  normal.diagonal().array() += kRidge;
  return normal.ldlt().solve(weighted.transpose() * y);
}

}  // namespace

Matrix Matrix::identity(std::size_t size) {
  Matrix matrix(size, size);
  for (std::size_t i = 0; i < size; ++i) matrix(i, i) = 1;
  return matrix;
}

std::vector<double> residual(const Matrix& matrix, std::span<const double> x, std::span<const double> right) {
  const VectorXd left_over = eigen_of(right) - eigen_of(matrix) * eigen_of(x);
  return values_of(left_over);
}

std::vector<double> solve_symmetric(const Matrix& matrix, std::span<const double> right) {
  return values_of(eigen_of(matrix).ldlt().solve(eigen_of(right)));
}

std::vector<double> solve_general(const Matrix& matrix, std::span<const double> right) {
  return values_of(eigen_of(matrix).fullPivLu().solve(eigen_of(right)));
}

std::vector<double> least_squares(const Matrix& matrix, std::span<const double> right) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> factors;
  factors.setThreshold(kRankThreshold);
  return values_of(factors.compute(eigen_of(matrix)).solve(eigen_of(right)));
}

NormalSystem normal_system(const Matrix& regressors, std::span<const double> y, std::span<const double> weights) {
  const auto x = eigen_of(regressors);
  const MatrixXd weighted = eigen_of(weights).asDiagonal() * x;
  const MatrixXd product = x.transpose() * weighted;
  Matrix matrix(regressors.columns(), regressors.columns());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j)
      matrix(i, j) = product(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }
  return {std::move(matrix), values_of(weighted.transpose() * eigen_of(y))};
}

Regression linear_regression(const Matrix& regressors, std::span<const double> y, std::span<const double> weights) {
  const auto x = eigen_of(regressors);
  const VectorXd b = weighted_line(x, eigen_of(y), eigen_of(weights));
  return {values_of(b), values_of(x * b)};
}

Regression logistic_regression(const Matrix& regressors, std::span<const double> rates,
                               std::span<const double> chances_of_rows) {
  const auto x = eigen_of(regressors);
  const auto rate = eigen_of(rates), chances = eigen_of(chances_of_rows);
  VectorXd smoothed(rate.size());
  for (Eigen::Index i = 0; i < rate.size(); ++i) smoothed(i) = (rate(i) * chances(i) + 0.5) / (chances(i) + 1);
  const auto logistic = [&](const VectorXd& b) -> VectorXd { return (1 / (1 + (-(x * b).array()).exp())).matrix(); };
  VectorXd b = VectorXd::Zero(x.cols());
  for (int step = 0; step < kNewtonSteps; ++step) {
    const VectorXd p = logistic(b);
    const VectorXd w = (chances.array() * p.array() * (1 - p.array())).max(1e-9).matrix();
    const VectorXd target = x * b + ((smoothed - p).array() * chances.array() / w.array()).matrix();
    const VectorXd next = weighted_line(x, target, w);
    const double change = (next - b).cwiseAbs().maxCoeff();
    b = next;
    if (change < kConverged) break;
  }
  return {values_of(b), values_of(logistic(b))};
}

}  // namespace orrery
