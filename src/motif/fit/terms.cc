#include "motif/fit/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.h"
#include "base/statistics.h"
#include "motif/formula.h"

// Coefficients are found by the method of Lawson and Hanson for non-negative least squares, on normal equations whose
// columns are scaled to one length. Errors count relatively, and outliers less: Huber's weights, iterated.

namespace orrery::motif::fit {
namespace {

constexpr double kHuberDeviations = 1.5;
constexpr int kReweightings = 8;

/// The normal equations with every column scaled to length 1, so that terms of 1e9 and of 1 are alike.
struct NormalEquations {
  Matrix gram;
  std::vector<double> right;
  std::vector<double> length;
};

NormalEquations normal_equations(const Design& design, std::span<const double> y, std::span<const double> weights) {
  NormalEquations normal{Matrix(design.columns, design.columns), std::vector<double>(design.columns, 0),
                         std::vector<double>(design.columns, 0)};
  for (std::size_t i = 0; i < design.rows(); ++i) {
    for (std::size_t j = 0; j < design.columns; ++j)
      normal.length[j] += weights[i] * design.row(i)[j] * design.row(i)[j];
  }
  for (double& length : normal.length) length = std::sqrt(length);
  std::vector<double> scaled(design.columns);
  for (std::size_t i = 0; i < design.rows(); ++i) {
    for (std::size_t j = 0; j < design.columns; ++j)
      scaled[j] = normal.length[j] > 0 ? design.row(i)[j] / normal.length[j] : 0;
    for (std::size_t j = 0; j < design.columns; ++j) {
      normal.right[j] += weights[i] * scaled[j] * y[i];
      for (std::size_t k = 0; k <= j; ++k) normal.gram(j, k) += weights[i] * scaled[j] * scaled[k];
    }
  }
  for (std::size_t j = 0; j < design.columns; ++j) {
    for (std::size_t k = 0; k < j; ++k) normal.gram(k, j) = normal.gram(j, k);
  }
  return normal;
}

/// Least squares over the columns in `active` alone.
std::vector<double> solve_active(const NormalEquations& normal, const std::vector<bool>& active) {
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < active.size(); ++j) {
    if (active[j]) columns.push_back(j);
  }
  Matrix gram(columns.size(), columns.size());
  std::vector<double> right(columns.size(), 0);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    right[j] = normal.right[columns[j]];
    for (std::size_t k = 0; k < columns.size(); ++k) gram(j, k) = normal.gram(columns[j], columns[k]);
    gram(j, j) += 1e-12;  // two terms that are the same in all runs: any split of them will do
  }
  const std::vector<double> solution = solve_symmetric(gram, right);
  std::vector<double> whole(active.size(), 0);
  for (std::size_t j = 0; j < columns.size(); ++j) whole[columns[j]] = solution[j];
  return whole;
}

/// Moves from x towards `target` until the first active coefficient reaches zero, and takes those that did out.
void step_back(std::vector<double>& x, const std::vector<double>& target, std::vector<bool>& active) {
  double along = 1;
  for (std::size_t j = 0; j < active.size(); ++j) {
    if (active[j] && target[j] <= 0) along = std::min(along, x[j] / (x[j] - target[j]));
  }
  for (std::size_t j = 0; j < active.size(); ++j) {
    x[j] += along * (target[j] - x[j]);
    // Rounding leaves what should be zero a little above it.
    if (!active[j] || x[j] > 1e-15) continue;
    active[j] = false;
    x[j] = 0;
  }
}

}  // namespace

std::vector<double> nonnegative_least_squares(const Design& design, std::span<const double> y,
                                              std::span<const double> weights) {
  const NormalEquations normal = normal_equations(design, y, weights);
  const std::size_t columns = design.columns;
  std::vector<double> x(columns, 0);
  std::vector<bool> active(columns, false);
  double largest = 1e-300;
  for (const double one : normal.right) largest = std::max(largest, std::abs(one));
  const double enough = 1e-10 * largest;
  // Each pass lets one more term in; the bound is far beyond what the method needs, and ends a cycle that rounding
  // might make.
  for (std::size_t pass = 0; pass < 4 * columns; ++pass) {
    const std::vector<double> gradient = residual(normal.gram, x, normal.right);
    std::size_t best = columns;
    for (std::size_t j = 0; j < columns; ++j) {
      if (active[j] || normal.length[j] == 0) continue;
      if (gradient[j] > enough && (best == columns || gradient[j] > gradient[best])) best = j;
    }
    // No column that is left out would help: that is the optimum (Lawson and Hanson, Solving least squares problems,
    // 1974).
    if (best == columns) break;
    active[best] = true;
    for (std::size_t inner = 0; inner <= columns; ++inner) {
      const std::vector<double> target = solve_active(normal, active);
      bool inside = true;
      for (std::size_t j = 0; j < columns; ++j) inside = inside && (!active[j] || target[j] > 0);
      if (inside) {
        x = target;
        break;
      }
      step_back(x, target, active);
    }
  }
  std::vector<double> coefficients(columns, 0);
  for (std::size_t j = 0; j < columns; ++j) {
    if (normal.length[j] > 0) coefficients[j] = std::max(0.0, x[j] / normal.length[j]);
  }
  return coefficients;
}

std::vector<double> fit_relative(const Design& design, std::span<const double> y) {
  double smallest = 0;
  for (const double value : y) {
    if (value > 0 && (smallest == 0 || value < smallest)) smallest = value;
  }
  if (smallest == 0) return std::vector<double>(design.columns, 0);
  std::vector<double> scale(y.size()), weights(y.size()), residuals(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    scale[i] = std::max(y[i], smallest);
    weights[i] = 1 / (scale[i] * scale[i]);
  }
  std::vector<double> coefficients = nonnegative_least_squares(design, y, weights);
  for (int pass = 0; pass < kReweightings; ++pass) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      double value = 0;
      for (std::size_t j = 0; j < design.columns; ++j) value += design.row(i)[j] * coefficients[j];
      residuals[i] = std::abs(y[i] - value) / scale[i];
    }
    const double limit = kHuberDeviations * std::max(kDeviationOverMad * upper_median(std::vector(residuals)), 1e-9);
    for (std::size_t i = 0; i < y.size(); ++i) weights[i] = huber_weight(residuals[i], limit) / (scale[i] * scale[i]);
    coefficients = nonnegative_least_squares(design, y, weights);
  }
  return coefficients;
}

namespace {

std::string power_text(std::string_view name, double exponent) {
  if (exponent == 1) return std::string(name);
  if (exponent == 0.5) return fmt::format("sqrt({})", name);
  return exponent < 0 ? fmt::format("{}^({})", name, coefficient_text(exponent))
                      : fmt::format("{}^{}", name, coefficient_text(exponent));
}

}  // namespace

double Term::at(const Scope& scope) const {
  const double n = scope[Variable::n];
  double value = 1;
  if (work != 0)
    value = std::pow(capacity < 0 ? scope[Variable::X] : std::max(0.0, scope[Variable::X] / n - capacity), work);
  if (nodes != 0) value *= std::pow(n, nodes);
  if (logarithm != 0) value *= std::pow(std::max(0.0, std::log2(n)), logarithm);
  if (threads != 0) value *= std::pow(scope[Variable::t], threads);
  if (per_node_ranks != 0) value *= std::pow(scope[Variable::r], per_node_ranks);
  return value;
}

std::string Term::text() const {
  std::string top, bottom;
  const auto factor = [&](const std::string& name, double exponent) {
    if (exponent == 0) return;
    std::string& side = exponent > 0 ? top : bottom;
    side += (exponent > 0 ? (top.empty() ? "" : "*") : "/") + power_text(name, std::abs(exponent));
  };
  factor(capacity < 0 ? "X" : fmt::format("max(0, X/n - {})", coefficient_text(capacity)), work);
  factor("n", nodes);
  factor("log2(n)", logarithm);
  factor("t", threads);
  factor("r", per_node_ranks);
  return (top.empty() ? "1" : top) + bottom;
}

std::string sum_text(const std::vector<Term>& terms, const std::vector<double>& coefficients) {
  std::string sum;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    if (coefficients[j] == 0) continue;
    const std::string name = terms[j].text();
    if (!sum.empty()) sum += " + ";
    sum += coefficient_text(coefficients[j]);
    if (name.starts_with("1/")) sum += name.substr(1);
    else if (name != "1") sum += "*" + name;
  }
  return sum.empty() ? "0" : sum;
}

Design design_of(const std::vector<Term>& terms, const std::vector<Scope>& runs) {
  Design design{.columns = terms.size()};
  for (const Scope& run : runs) {
    for (const Term& term : terms) design.values.push_back(term.at(run));
  }
  return design;
}

}  // namespace orrery::motif::fit
