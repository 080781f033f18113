// Sums of terms with coefficients that are not negative, fitted to measurements of which some are far off. With a_ij the value of term j in
// measurement i:
//
//     minimise over c >= 0   sum_i  huber( (y_i - sum_j a_ij c_j) / y_i )
//
// Residuals are relative, so that a run of a millisecond counts as much as one of a minute; Huber's loss is quadratic for small ones and linear
// beyond `kHuberDeviations` robust standard deviations, so that a stall of one run does not pull. Solved by reweighted non-negative least squares
// (Lawson and Hanson 1974). Non-negative coefficients cannot cancel each other: such sums stay sane where they are extrapolated.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace orrery::motif::fit {

/// One row per measurement, `columns` values each.
struct Design {
  std::size_t columns = 0;
  std::vector<double> values = {};

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  [[nodiscard]] std::span<const double> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
};

/// c >= 0 with least sum_i weight_i (y_i - a_i c)^2. Deterministic; ties go to the first column.
std::vector<double> nonnegative_least_squares(const Design& design, std::span<const double> y, std::span<const double> weights);

/// The fit above. Rows with y = 0 are weighed as if they were the smallest positive y.
std::vector<double> fit_relative(const Design& design, std::span<const double> y);

}  // namespace orrery::motif::fit
