// The terms that laws are sums of: X^a n^b (log2 n)^c t^d, and the part of the work per node that no longer fits into a
// cache.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "motif/formula.h"

namespace orrery::motif::fit {

// Sums of terms with coefficients that are not negative, fitted to measurements of which some are far off. With a_ij
// the value of term j in measurement i:
//
//     minimise over c >= 0   sum_i  huber( (y_i - sum_j a_ij c_j) / y_i )
//
// Residuals are relative, so that a run of a millisecond counts as much as one of a minute; Huber's loss is quadratic
// for small ones and linear beyond `kHuberDeviations` robust standard deviations, so that a stall of one run does not
// pull. Solved by reweighted non-negative least squares (Lawson and Hanson 1974). Non-negative coefficients cannot
// cancel each other: such sums stay sane where they are extrapolated.

/// One row per measurement, `columns` values each.
struct Design {
  std::size_t columns = 0;
  std::vector<double> values = {};

  [[nodiscard]] std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  [[nodiscard]] std::span<const double> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
};

/// c >= 0 with least sum_i weight_i (y_i - a_i c)^2. Deterministic; ties go to the first column.
std::vector<double> nonnegative_least_squares(const Design& design, std::span<const double> y,
                                              std::span<const double> weights);

/// The fit above. Rows with y = 0 are weighed as if they were the smallest positive y.
std::vector<double> fit_relative(const Design& design, std::span<const double> y);

struct Term {
  double work = 0;            ///< the exponent of X, or of max(0, X/n - capacity)
  double nodes = 0;           ///< of n
  double logarithm = 0;       ///< of log2 n
  double threads = 0;         ///< of t
  double per_node_ranks = 0;  ///< of r
  double capacity = -1;       ///< of the cache term; negative: the term is X^work n^nodes

  [[nodiscard]] double at(const Scope& scope) const;
  /// "X/n^1.5"; "1" for the constant.
  [[nodiscard]] std::string text() const;
};

/// A sum of terms as a formula; terms whose coefficient is 0 are left out.
std::string sum_text(const std::vector<Term>& terms, const std::vector<double>& coefficients);

Design design_of(const std::vector<Term>& terms, const std::vector<Scope>& runs);

}  // namespace orrery::motif::fit
