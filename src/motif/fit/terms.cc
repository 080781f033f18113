#include "motif/fit/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "motif/formula.h"

namespace orrery::motif::fit {
namespace {

std::string power_text(std::string_view name, double exponent) {
  if (exponent == 1) return std::string(name);
  if (exponent == 0.5) return fmt::format("sqrt({})", name);
  return exponent < 0 ? fmt::format("{}^({})", name, coefficient_text(exponent)) : fmt::format("{}^{}", name, coefficient_text(exponent));
}

}  // namespace

double Term::at(const Scope& scope) const {
  const double n = scope[Variable::n];
  double value = 1;
  if (work != 0) value = std::pow(capacity < 0 ? scope[Variable::X] : std::max(0.0, scope[Variable::X] / n - capacity), work);
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
