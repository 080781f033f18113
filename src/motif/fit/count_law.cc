#include "motif/fit/count_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/linear_algebra.h"

// Exact first: a count that is a whole multiple of one variable plus a whole number, in all runs, is that law, and of
// several the simplest. Else rates are regressed on size and nodes, with as many unknowns as the runs support by
// Schwarz's criterion; bytes get the family that predicts runs left out best.

namespace orrery::motif::fit {
namespace {

/// Families that make sense of a size; the published ones explode or turn negative.
constexpr std::array kByteFamilies = {Family::constant, Family::power, Family::dictionary, Family::normal_form};

const std::vector<Term>& byte_terms() {
  static const std::vector<Term> terms = {
      Term{}, {.work = 1}, {.work = 1, .nodes = -0.5}, {.work = 1, .nodes = -1}, {.work = 1, .nodes = -1.5}};
  return terms;
}

double mean_error(const Law& law, const std::vector<Scope>& runs, const std::vector<double>& bytes) {
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (bytes[i] <= 0) continue;
    sum += std::abs(law.at(runs[i]) - bytes[i]) / bytes[i];
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

/// The error over runs each of which was left out once. A family that has more unknowns than runs remain says nothing.
double left_out_error(Family family, const std::vector<Scope>& runs, const std::vector<double>& bytes) {
  double sum = 0, count = 0;
  for (std::size_t left_out = 0; left_out < runs.size(); ++left_out) {
    std::vector<Scope> rest_runs;
    std::vector<double> rest;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i == left_out) continue;
      rest_runs.push_back(runs[i]);
      rest.push_back(bytes[i]);
    }
    if (bytes[left_out] <= 0) continue;
    const Law law = fit_law(family, byte_terms(), rest_runs, rest);
    // At most tenfold, so that one run far off does not decide alone.
    sum += std::min(std::abs(law.at(runs[left_out]) - bytes[left_out]) / bytes[left_out], 10.0);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace

BytesFit fit_bytes(const std::vector<RunParameters>& runs, const std::vector<double>& bytes, SizeMeaning meaning) {
  if (const auto exact = exact_law(runs, bytes, meaning)) return {*exact, "exact", 0};
  std::vector<Scope> scopes;
  scopes.reserve(runs.size());
  for (const RunParameters& run : runs) scopes.emplace_back(run, meaning);
  Family best = Family::constant;
  double best_error = left_out_error(best, scopes, bytes);
  for (const Family family : kByteFamilies) {
    if (family == Family::constant) continue;
    const double error = left_out_error(family, scopes, bytes);
    // A tenth better, or the simpler one stays.
    if (error >= 0.9 * best_error) continue;
    best = family;
    best_error = error;
  }
  const Law law = fit_law(best, byte_terms(), scopes, bytes);
  return {Formula::composed(law.text()), std::string(kFamilyNames[static_cast<std::size_t>(best)]),
          100 * mean_error(law, scopes, bytes)};
}

namespace {

constexpr double kExact = 1e-7;       // relative; counts are whole numbers or means of them
constexpr double kMostFactor = 4096;  // a larger whole number in a law would be a coincidence
constexpr double kDispersion =
    0.1;  // variance of a count over its mean; 1 would be independent chances, levels of a search vary less

constexpr std::array<std::string_view, 7> kCountVariables = {"q", "log2(p)", "p", "n", "s", "X", "t"};

std::vector<Scope> scopes_of(std::span<const RunParameters> runs, SizeMeaning meaning) {
  std::vector<Scope> scopes;
  for (const RunParameters& run : runs) scopes.emplace_back(run, meaning);
  return scopes;
}

bool nearly_equal(double a, double b) { return std::abs(a - b) <= kExact * std::max({1.0, std::abs(a), std::abs(b)}); }

struct LineOfWholes {
  double factor = 0, offset = 0;
  [[nodiscard]] double complexity() const { return std::abs(factor - 1) + std::abs(offset); }
};

/// values = factor * v + offset with whole numbers, if that holds everywhere.
std::optional<LineOfWholes> line_through(const std::vector<double>& v, std::span<const double> values) {
  std::size_t other = 0;
  while (other < v.size() && nearly_equal(v[other], v[0])) ++other;
  if (other == v.size()) return std::nullopt;
  const double slope = (values[other] - values[0]) / (v[other] - v[0]);
  const LineOfWholes line{std::nearbyint(slope), std::nearbyint(values[0] - std::nearbyint(slope) * v[0])};
  if (line.factor == 0 || std::abs(line.factor) > kMostFactor) return std::nullopt;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (!nearly_equal(line.factor * v[i] + line.offset, values[i])) return std::nullopt;
  }
  return line;
}

std::string line_text(const LineOfWholes& line, std::string_view name) {
  std::string text = line.factor == 1 ? std::string(name) : fmt::format("{}*{}", coefficient_text(line.factor), name);
  if (line.offset > 0) text += fmt::format(" + {}", coefficient_text(line.offset));
  if (line.offset < 0) text += fmt::format(" - {}", coefficient_text(-line.offset));
  return text;
}

// ---- fitted rates ----

/// One candidate: regressors per run, and how they are written.
struct RateCandidate {
  std::vector<std::string> names;  // the first is the constant
  bool logistic = false;
};

Matrix regressors(const RateCandidate& candidate, const std::vector<Scope>& scopes) {
  Matrix x(scopes.size(), candidate.names.size());
  for (std::size_t j = 0; j < candidate.names.size(); ++j) {
    const Formula formula = Formula::composed(candidate.names[j]);
    for (std::size_t i = 0; i < scopes.size(); ++i) x(i, j) = formula.at(scopes[i]);
  }
  return x;
}

std::string linear_text(const RateCandidate& candidate, const std::vector<double>& b) {
  std::string text;
  for (std::size_t j = 0; j < candidate.names.size(); ++j) {
    const double value = b[j];
    if (j > 0) text += value < 0 ? " - " : " + ";
    text += coefficient_text(j > 0 ? std::abs(value) : value);
    if (j > 0) text += "*" + candidate.names[j];
  }
  return text;
}

}  // namespace

std::optional<Formula> exact_law(std::span<const RunParameters> runs, std::span<const double> values,
                                 SizeMeaning meaning) {
  if (values.empty()) return std::nullopt;
  if (std::all_of(values.begin(), values.end(), [&](double value) { return nearly_equal(value, values[0]); })) {
    const double whole = std::nearbyint(values[0]);
    if (nearly_equal(whole, values[0])) return Formula(whole);
    return std::nullopt;
  }
  const std::vector<Scope> scopes = scopes_of(runs, meaning);
  std::optional<LineOfWholes> best;
  std::string_view best_name;
  for (const std::string_view name : kCountVariables) {
    const Formula variable = Formula::composed(name);
    std::vector<double> v;
    v.reserve(scopes.size());
    for (const Scope& scope : scopes) v.push_back(variable.at(scope));
    const auto line = line_through(v, values);
    if (!line || (best && best->complexity() <= line->complexity())) continue;
    best = line;
    best_name = name;
  }
  if (!best) return std::nullopt;
  return Formula::composed(line_text(*best, best_name));
}

std::vector<Formula> rate_laws(std::span<const RunParameters> runs, const std::vector<std::vector<double>>& counts,
                               std::span<const double> chances, SizeMeaning meaning) {
  const std::vector<Scope> scopes = scopes_of(runs, meaning);
  const std::size_t rows = runs.size();
  double all_chances = 0;
  bool is_share = true, varies_in_size = false, varies_in_nodes = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    all_chances += chances[i];
    for (const std::vector<double>& way : counts) is_share = is_share && way[i] <= chances[i] * (1 + kExact);
    varies_in_size = varies_in_size || runs[i].size != runs[0].size;
    varies_in_nodes = varies_in_nodes || runs[i].nodes != runs[0].nodes;
  }
  const std::string size = meaning == SizeMeaning::exponent ? "s" : "log2(s)";
  std::vector<RateCandidate> candidates = {{{"1"}}};
  // A line needs more runs than it has unknowns to be wrong about one of them; a plane over (size, nodes) a small table
  // of them.
  if (varies_in_size && rows >= 4) candidates.push_back({{"1", size}, is_share});
  if (varies_in_nodes && varies_in_size && rows >= 9) candidates.push_back({{"1", size, "log2(n)"}, is_share});
  struct Tried {
    std::vector<Formula> formulas = {};
    double misfit = 0, unknowns = 0;
  };
  // Of several ways that share what comes, one follows from the others.
  const double ways = std::max(1.0, static_cast<double>(counts.size()) - 1);
  std::vector<Tried> tried;
  for (const RateCandidate& candidate : candidates) {
    const Matrix x = regressors(candidate, scopes);
    Tried& one = tried.emplace_back();
    one.unknowns = ways * static_cast<double>(candidate.names.size());
    for (const std::vector<double>& way : counts) {
      std::vector<double> rate(rows, 0);
      double happened = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        if (chances[i] > 0) rate[i] = way[i] / chances[i];
        happened += chances[i] * rate[i];
      }
      const Regression line =
          candidate.logistic ? logistic_regression(x, rate, chances) : linear_regression(x, rate, chances);
      // Counts are samples: of so many chances a rate is not known better than this, and a law that is closer follows
      // the noise.
      const double mean = happened / std::max(all_chances, 1e-300);
      const double spread = counts.size() > 1 ? mean : mean * (1 - mean);
      const double variance = std::max(is_share ? spread : kDispersion * mean, 1e-6);
      double misfit = 0;
      for (std::size_t i = 0; i < rows; ++i)
        misfit += chances[i] * (rate[i] - line.fitted[i]) * (rate[i] - line.fitted[i]);
      one.misfit += misfit / variance;
      const std::string text = linear_text(candidate, line.coefficients);
      one.formulas.push_back(Formula::composed(candidate.logistic ? fmt::format("logistic({})", text) : text));
    }
  }
  // What even the richest law leaves over is scatter of the runs, beyond that of the counts.
  const double freedom = ways * static_cast<double>(rows) - tried.back().unknowns;
  const double scatter = freedom > 0 ? std::max(1.0, tried.back().misfit / freedom) : 1;
  const auto score = [&](const Tried& one) {
    // Schwarz's criterion (BIC).
    return one.misfit / scatter + one.unknowns * std::log(static_cast<double>(rows));
  };
  const auto best = std::min_element(tried.begin(), tried.end(),
                                     [&](const Tried& one, const Tried& other) { return score(one) < score(other); });
  return best->formulas;
}

Formula rate_law(std::span<const RunParameters> runs, std::span<const double> counts, std::span<const double> chances,
                 SizeMeaning meaning) {
  return rate_laws(runs, {std::vector<double>(counts.begin(), counts.end())}, chances, meaning).front();
}

}  // namespace orrery::motif::fit
