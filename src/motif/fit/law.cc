#include "motif/fit/law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.h"
#include "motif/formula.h"

// All families but one are linear in their unknowns, or in the logarithm of what they predict, so that weighted least
// squares solves them at once. The normal form searches its terms greedily; sums of terms are fitted with coefficients
// of at least zero.

namespace orrery::motif::fit {
namespace {

// Beyond that a polynomial follows noise; there are 15 terms at this degree already.
constexpr int kHighestDegree = 4;

double size_of(const Scope& scope) { return scope[Variable::s]; }
double nodes_of(const Scope& scope) { return scope[Variable::n]; }

std::vector<double> published_regressors(const Scope& scope) {
  return {nodes_of(scope) * size_of(scope), nodes_of(scope), size_of(scope), 1};
}
std::vector<double> power_regressors(const Scope& scope) {
  // 1e-300: the logarithm of nothing is far away but finite, so that the fit goes on.
  return {1, std::log(std::max(scope[Variable::X], 1e-300)), std::log(nodes_of(scope)), std::log(scope[Variable::t])};
}
std::vector<double> polynomial_regressors(const Scope& scope, int degree) {
  std::vector<double> values;
  for (const auto& [size, nodes] : polynomial_powers(degree))
    values.push_back(std::pow(size_of(scope), size) * std::pow(nodes_of(scope), nodes));
  return values;
}

double smallest_positive(std::span<const double> y) {
  double smallest = 0;
  for (const double value : y) {
    if (value > 0 && (smallest == 0 || value < smallest)) smallest = value;
  }
  return smallest;
}

template <typename Regressors>
std::vector<double> fit_linear(const std::vector<Scope>& runs, std::span<const double> y, bool logarithms,
                               const Regressors& regressors) {
  // Measurements of zero count as the smallest that is not: nothing can be relative to zero.
  const double smallest = std::max(smallest_positive(y), 1e-9);
  Matrix rows(runs.size(), regressors(runs[0]).size());
  std::vector<double> values;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::vector<double> row = regressors(runs[i]);
    const double positive = std::max(y[i], smallest);
    // Errors count relatively: logarithms have that built in.
    const double weight = logarithms ? 1 : 1 / positive;
    for (std::size_t j = 0; j < row.size(); ++j) rows(i, j) = weight * row[j];
    values.push_back(weight * (logarithms ? std::log(positive) : y[i]));
  }
  return least_squares(rows, values);
}

Law fit_terms(Family family, std::vector<Term> terms, const std::vector<Scope>& runs, std::span<const double> y) {
  std::vector<double> coefficients = fit_relative(design_of(terms, runs), y);
  return {family, std::move(terms), std::move(coefficients)};
}

double relative_square_sum(const Law& law, const std::vector<Scope>& runs, std::span<const double> y) {
  const double smallest = std::max(smallest_positive(y), 1e-9);
  double sum = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double residual = (law.at(runs[i]) - y[i]) / std::max(y[i], smallest);
    sum += residual * residual;
  }
  return sum;
}

const std::vector<Term>& normal_form_terms() {
  static const std::vector<Term> terms = [] {
    std::vector<Term> all;
    // Exponents as programs have them: roots, linear, and a little more for caches and trees.
    for (const double work : {0.0, 0.5, 0.75, 1.0, 1.1, 1.25}) {
      for (const double nodes : {0.0, 0.5, 1.0, -0.5, -1.0, -1.5}) {
        for (const double logarithm : {0.0, 1.0}) {
          if (work != 0 || nodes != 0 || logarithm != 0)
            all.push_back({.work = work, .nodes = nodes, .logarithm = logarithm});
        }
      }
    }
    return all;
  }();
  return terms;
}

/// Terms are taken one by one while Schwarz's criterion, with twice its usual penalty, gains.
Law fit_normal_form(const std::vector<Scope>& runs, std::span<const double> y) {
  const auto score_of = [&](const Law& law) {
    const auto count = static_cast<double>(runs.size());
    // 1e-12: a perfect fit must not make the score infinite.
    return count * std::log(std::max(relative_square_sum(law, runs, y) / count, 1e-12)) +
           2 * static_cast<double>(law.terms.size()) * std::log(count);
  };
  Law best = fit_terms(Family::normal_form, {Term{}}, runs, y);
  double best_score = score_of(best);
  // Two terms besides the constant are the most that the normal form has.
  for (int round = 0; round < 2; ++round) {
    const std::vector<Term> chosen = best.terms;
    bool gained = false;
    for (const Term& term : normal_form_terms()) {
      std::vector<Term> more = chosen;
      more.push_back(term);
      Law law = fit_terms(Family::normal_form, std::move(more), runs, y);
      const double score = score_of(law);
      // 1e-9: rounding must not choose between terms that fit equally well.
      if (score >= best_score - 1e-9) continue;
      best = std::move(law);
      best_score = score;
      gained = true;
    }
    if (!gained) break;
  }
  return best;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::string signed_sum(const std::vector<std::pair<double, std::string>>& parts) {
  std::string text;
  for (const auto& [coefficient, name] : parts) {
    if (coefficient == 0) continue;
    // Unlike sums of positive terms, these cancel: six digits would not do.
    const std::string number = fmt::format("{}", std::abs(coefficient));
    text += text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    text += number;
    if (!name.empty()) text.append("*").append(name);
  }
  return text.empty() ? "0" : text;
}

std::string power_name(std::string_view name, int exponent) {
  return exponent == 1 ? std::string(name) : fmt::format("{}^{}", name, exponent);
}

}  // namespace

std::vector<std::pair<int, int>> polynomial_powers(int degree) {
  std::vector<std::pair<int, int>> powers;
  for (int total = 0; total <= degree; ++total) {
    for (int nodes = 0; nodes <= total; ++nodes) powers.emplace_back(total - nodes, nodes);
  }
  return powers;
}

double Law::at(const Scope& scope) const {
  switch (family) {
    // A law may be asked beyond its measurements, and times are never negative.
    case Family::bilinear: return std::max(0.0, dot(coefficients, published_regressors(scope)));
    case Family::exponential:
      return std::min(std::exp(dot(coefficients, published_regressors(scope))), Formula::kLargest);
    case Family::polynomial: return std::max(0.0, dot(coefficients, polynomial_regressors(scope, degree)));
    case Family::power: return std::min(std::exp(dot(coefficients, power_regressors(scope))), Formula::kLargest);
    default: break;
  }
  double sum = 0;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    // A term without weight may be infinite where it was not measured, and 0 times that is not a number.
    if (coefficients[j] != 0) sum += coefficients[j] * terms[j].at(scope);
  }
  return sum;
}

std::string Law::text() const {
  switch (family) {
    case Family::bilinear:
    case Family::exponential: {
      const std::string sum =
          signed_sum({{coefficients[0], "n*s"}, {coefficients[1], "n"}, {coefficients[2], "s"}, {coefficients[3], ""}});
      return family == Family::bilinear ? sum : fmt::format("exp({})", sum);
    }
    case Family::polynomial: {
      std::vector<std::pair<double, std::string>> parts;
      const auto powers = polynomial_powers(degree);
      for (std::size_t j = 0; j < powers.size(); ++j) {
        std::string name = powers[j].first > 0 ? power_name("s", powers[j].first) : "";
        if (powers[j].second > 0) name += (name.empty() ? "" : "*") + power_name("n", powers[j].second);
        parts.emplace_back(coefficients[j], name);
      }
      return signed_sum(parts);
    }
    case Family::power: {
      std::string text = coefficient_text(std::exp(coefficients[0]));
      constexpr std::array<std::string_view, 3> kNames = {"X", "n", "t"};
      for (std::size_t j = 0; j < kNames.size(); ++j) {
        // Exponents of nothing are left out of the text.
        if (std::abs(coefficients[j + 1]) > 1e-9)
          text += fmt::format("*{}^({})", kNames[j], coefficient_text(coefficients[j + 1]));
      }
      return text;
    }
    default: return sum_text(terms, coefficients);
  }
}

Law fit_law(Family family, const std::vector<Term>& terms, const std::vector<Scope>& runs, std::span<const double> y) {
  switch (family) {
    case Family::constant: return fit_terms(family, {Term{}}, runs, y);
    case Family::bilinear: return {family, {}, fit_linear(runs, y, false, published_regressors)};
    case Family::exponential: return {family, {}, fit_linear(runs, y, true, published_regressors)};
    case Family::power: return {family, {}, fit_linear(runs, y, true, power_regressors)};
    case Family::normal_form: return fit_normal_form(runs, y);
    case Family::dictionary: return fit_terms(family, terms, runs, y);
    case Family::polynomial: break;
  }
  int degree = kHighestDegree;
  // As many unknowns as runs at most: else the polynomial goes through all points, and through anything between.
  while (degree > 0 && polynomial_powers(degree).size() > runs.size()) --degree;
  return {family,
          {},
          fit_linear(runs, y, false, [&](const Scope& scope) { return polynomial_regressors(scope, degree); }),
          degree};
}

}  // namespace orrery::motif::fit
