#include "motif/fit/count_law.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::motif::fit {
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

Eigen::MatrixXd regressors(const RateCandidate& candidate, const std::vector<Scope>& scopes) {
  Eigen::MatrixXd x(static_cast<Eigen::Index>(scopes.size()), static_cast<Eigen::Index>(candidate.names.size()));
  for (std::size_t j = 0; j < candidate.names.size(); ++j) {
    const Formula formula = Formula::composed(candidate.names[j]);
    for (std::size_t i = 0; i < scopes.size(); ++i)
      x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = formula.at(scopes[i]);
  }
  return x;
}

Eigen::VectorXd weighted_line(const Eigen::MatrixXd& x, const Eigen::VectorXd& y, const Eigen::VectorXd& weights) {
  const Eigen::MatrixXd weighted = weights.asDiagonal() * x;
  Eigen::MatrixXd normal = x.transpose() * weighted;
  normal.diagonal().array() += 1e-9;
  return normal.ldlt().solve(weighted.transpose() * y);
}

/// Newton's method on the binomial likelihood. A run that never or always does something has no finite logit: half a
/// chance is added to each side.
Eigen::VectorXd logistic_line(const Eigen::MatrixXd& x, const Eigen::VectorXd& rate, const Eigen::VectorXd& chances) {
  Eigen::VectorXd smoothed(rate.size());
  for (Eigen::Index i = 0; i < rate.size(); ++i) smoothed(i) = (rate(i) * chances(i) + 0.5) / (chances(i) + 1);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(x.cols());
  for (int step = 0; step < 30; ++step) {
    const Eigen::VectorXd p = (1 / (1 + (-(x * b).array()).exp())).matrix();
    const Eigen::VectorXd w = (chances.array() * p.array() * (1 - p.array())).max(1e-9).matrix();
    const Eigen::VectorXd target = x * b + ((smoothed - p).array() * chances.array() / w.array()).matrix();
    const Eigen::VectorXd next = weighted_line(x, target, w);
    const double change = (next - b).cwiseAbs().maxCoeff();
    b = next;
    if (change < 1e-9) break;
  }
  return b;
}

std::string linear_text(const RateCandidate& candidate, const Eigen::VectorXd& b) {
  std::string text;
  for (std::size_t j = 0; j < candidate.names.size(); ++j) {
    const double value = b(static_cast<Eigen::Index>(j));
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
  const auto rows = static_cast<Eigen::Index>(runs.size());
  Eigen::VectorXd weight(rows);
  bool is_share = true, varies_in_size = false, varies_in_nodes = false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    weight(static_cast<Eigen::Index>(i)) = chances[i];
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
    const Eigen::MatrixXd x = regressors(candidate, scopes);
    Tried& one = tried.emplace_back();
    one.unknowns = ways * static_cast<double>(candidate.names.size());
    for (const std::vector<double>& way : counts) {
      Eigen::VectorXd rate(rows);
      for (Eigen::Index i = 0; i < rows; ++i)
        rate(i) = weight(i) > 0 ? way[static_cast<std::size_t>(i)] / weight(i) : 0;
      const Eigen::VectorXd b = candidate.logistic ? logistic_line(x, rate, weight) : weighted_line(x, rate, weight);
      Eigen::VectorXd fitted = x * b;
      if (candidate.logistic) fitted = (1 / (1 + (-fitted.array()).exp())).matrix();
      // Counts are samples: of so many chances a rate is not known better than this, and a law that is closer follows
      // the noise.
      const double mean = weight.dot(rate) / std::max(weight.sum(), 1e-300);
      const double spread = counts.size() > 1 ? mean : mean * (1 - mean);
      const double variance = std::max(is_share ? spread : kDispersion * mean, 1e-6);
      one.misfit += (weight.array() * (rate - fitted).array().square()).sum() / variance;
      const std::string text = linear_text(candidate, b);
      one.formulas.push_back(Formula::composed(candidate.logistic ? fmt::format("logistic({})", text) : text));
    }
  }
  // What even the richest law leaves over is scatter of the runs, beyond that of the counts.
  const double freedom = ways * static_cast<double>(rows) - tried.back().unknowns;
  const double scatter = freedom > 0 ? std::max(1.0, tried.back().misfit / freedom) : 1;
  const auto score = [&](const Tried& one) {
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
