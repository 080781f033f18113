// Small dense systems of equations, and regressions: all that fits and flows need of linear algebra, so that one source
// alone is compiled with the library behind it (but for align, which works on whole vectors of clocks).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace orrery {

/// By columns, as the library behind it wants them.
class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns, 0) {}
  static Matrix identity(std::size_t size);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  double& operator()(std::size_t row, std::size_t column) { return values_[column * rows_ + row]; }
  double operator()(std::size_t row, std::size_t column) const { return values_[column * rows_ + row]; }
  [[nodiscard]] const double* data() const { return values_.data(); }

 private:
  std::size_t rows_, columns_;
  std::vector<double> values_;
};

/// right - matrix x.
std::vector<double> residual(const Matrix& matrix, std::span<const double> x, std::span<const double> right);

/// Of a symmetric matrix without negative eigenvalues (LDLT).
std::vector<double> solve_symmetric(const Matrix& matrix, std::span<const double> right);

/// Of any square matrix (LU with full pivoting). Where there is no solution, what comes back is none: check it.
std::vector<double> solve_general(const Matrix& matrix, std::span<const double> right);

/// Least squares by a rank-revealing factorisation: columns that do not vary get no part.
std::vector<double> least_squares(const Matrix& matrix, std::span<const double> right);

/// X^T W X and X^T W y, W being the diagonal matrix of the weights.
struct NormalSystem {
  Matrix matrix;
  std::vector<double> right;
};
NormalSystem normal_system(const Matrix& regressors, std::span<const double> y, std::span<const double> weights);

struct Regression {
  std::vector<double> coefficients;
  std::vector<double> fitted;  ///< per row
};
/// Weighted least squares.
Regression linear_regression(const Matrix& regressors, std::span<const double> y, std::span<const double> weights);
/// Newton's method on the binomial likelihood: rates of so many chances each. A row that never or always happens has no
/// finite logit, so half a chance is added to each side.
Regression logistic_regression(const Matrix& regressors, std::span<const double> rates,
                               std::span<const double> chances);

}  // namespace orrery
