#include "motif/fit/times_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "base/statistics.h"

// One family is chosen for all transitions, by how well it predicts whole runs that were left out as an extrapolation
// would miss them: all of the largest size, all of the most nodes. Of the dictionary the capacity of a cache is
// searched. Then all runs are fitted, and each is left out once for the error.

namespace orrery::motif::fit {
namespace {

bool varies(const TimesTable& table, Variable variable) {
  return std::any_of(table.runs.begin(), table.runs.end(),
                     [&](const Scope& run) { return run[variable] != table.runs[0][variable]; });
}

/// Latency grows with the ranks, work is shared by them; a loop of sqrt(n) passes splits a fixed amount of work, hence
/// n^1.5.
std::vector<Term> base_terms(const TimesTable& table, SizeMeaning meaning) {
  std::vector<Term> terms = {Term{}};
  if (varies(table, Variable::n)) {
    terms.push_back({.nodes = 0.5});
    terms.push_back({.logarithm = 1});
  }
  std::vector<Term> work;
  if (meaning == SizeMeaning::exponent) {
    for (const double nodes : {-1.0, -0.5, -1.5}) work.push_back({.work = 1, .nodes = nodes});
  } else {
    // An amount may be the edge of a block: its area is what is worked on, whether the block is shared or each rank has
    // one.
    for (const double power : {1.0, 2.0}) {
      for (const double nodes : {0.0, -1.0}) work.push_back({.work = power, .nodes = nodes});
    }
  }
  const std::size_t plain = work.size();
  for (std::size_t i = 0; i < plain; ++i) {
    Term term = work[i];
    term.threads = -1;
    if (varies(table, Variable::t)) work.push_back(term);
    term = work[i];
    term.per_node_ranks = -1;
    if (varies(table, Variable::r)) work.push_back(term);
  }
  terms.insert(terms.end(), work.begin(), work.end());
  return terms;
}

std::vector<std::size_t> all_runs(const TimesTable& table) {
  std::vector<std::size_t> runs(table.runs.size());
  std::iota(runs.begin(), runs.end(), 0);
  return runs;
}

/// Squared relative errors of the transitions, each weighed by its share of the run.
double share_weighted_error(const TimesTable& table, const Laws& laws) {
  double sum = 0;
  for (std::size_t run = 0; run < table.runs.size(); ++run) {
    const double total = table.total_us(run);
    if (total <= 0) continue;
    for (std::size_t edge = 0; edge < table.edges.size(); ++edge) {
      const double measured = table.mean_us[edge][run];
      if (measured <= 0) continue;
      const double residual = (laws[edge].at(table.runs[run]) - measured) / measured;
      // Capped: one transition that a law misses altogether must not outweigh all others.
      sum += table.counts[edge][run] * measured / total * std::min(residual * residual, 1.0);
    }
  }
  return sum;
}

double relative_error(double predicted, double measured) {
  return measured > 0 ? std::abs(predicted - measured) / measured : 0;
}

/// Runs left out together, as an extrapolation would miss them.
std::vector<std::vector<std::size_t>> extrapolating_folds(const TimesTable& table) {
  std::vector<std::vector<std::size_t>> folds;
  for (const Variable variable : {Variable::s, Variable::n}) {
    if (!varies(table, variable)) continue;
    double largest = 0;
    for (const Scope& run : table.runs) largest = std::max(largest, run[variable]);
    std::vector<std::size_t>& fold = folds.emplace_back();
    for (std::size_t i = 0; i < table.runs.size(); ++i) {
      if (table.runs[i][variable] == largest) fold.push_back(i);
    }
  }
  // Nothing varies that could be extrapolated: each run is left out once.
  if (folds.empty() && table.runs.size() > 1) {
    for (std::size_t i = 0; i < table.runs.size(); ++i) folds.push_back({i});
  }
  return folds;
}

FamilyScore score_family(const TimesTable& table, Family family, SizeMeaning meaning) {
  FamilyScore score{family};
  double sum = 0, count = 0, parameters = 0;
  for (const std::vector<std::size_t>& fold : extrapolating_folds(table)) {
    std::vector<std::size_t> rest;
    for (const std::size_t run : all_runs(table)) {
      if (std::find(fold.begin(), fold.end(), run) == fold.end()) rest.push_back(run);
    }
    if (rest.empty()) continue;
    const Laws laws = fit_laws(table, family, base_terms(table, meaning), rest);
    for (const std::size_t run : fold) {
      sum += std::min(relative_error(predicted_total(table, laws, run), table.total_us(run)), 100.0);
      ++count;
    }
    for (const Law& law : laws) {
      parameters += static_cast<double>(
          std::count_if(law.coefficients.begin(), law.coefficients.end(), [](double c) { return c != 0; }));
    }
  }
  const auto folds = static_cast<double>(std::max<std::size_t>(extrapolating_folds(table).size(), 1));
  score.error_pct = count > 0 ? 100 * sum / count : 0;
  score.parameters = parameters / folds / static_cast<double>(std::max<std::size_t>(table.edges.size(), 1));
  return score;
}

template <typename FitOne>
Laws fit_each(const TimesTable& table, const std::vector<std::size_t>& chosen, const FitOne& fit_one) {
  Laws laws(table.edges.size());
  parallel_for(table.edges.size(), [&](std::size_t edge) {
    std::vector<Scope> runs;
    std::vector<double> y;
    for (const std::size_t run : chosen) {
      if (table.counts[edge][run] <= 0) continue;
      runs.push_back(table.runs[run]);
      y.push_back(table.mean_us[edge][run]);
    }
    // A transition that none of these runs has: nothing is known of it.
    if (runs.empty()) laws[edge] = {Family::constant, {Term{}}, {0}};
    else laws[edge] = fit_one(edge, runs, y);
  });
  return laws;
}

void leave_one_out(const TimesTable& table, TimesFit& fit) {
  if (table.runs.size() < 2) return;
  std::vector<double> logs;
  double sum = 0;
  for (std::size_t left_out = 0; left_out < table.runs.size(); ++left_out) {
    std::vector<std::size_t> rest = all_runs(table);
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out));
    const Laws laws = refit_laws(table, fit.laws, rest);
    const double predicted = predicted_total(table, laws, left_out), measured = table.total_us(left_out);
    sum += relative_error(predicted, measured);
    if (predicted > 0 && measured > 0) logs.push_back(std::abs(std::log(predicted / measured)));
  }
  fit.left_out_error_pct = 100 * sum / static_cast<double>(table.runs.size());
  fit.residual = kDeviationOverMad * median(logs);
}

}  // namespace

double TimesTable::total_us(std::size_t run) const {
  double total = 0;
  for (std::size_t edge = 0; edge < edges.size(); ++edge) total += counts[edge][run] * mean_us[edge][run];
  return total;
}

Laws fit_laws(const TimesTable& table, Family family, const std::vector<Term>& terms,
              const std::vector<std::size_t>& chosen) {
  return fit_each(table, chosen, [&](std::size_t, const std::vector<Scope>& runs, const std::vector<double>& y) {
    return fit_law(family, terms, runs, y);
  });
}

Laws refit_laws(const TimesTable& table, const Laws& like, const std::vector<std::size_t>& chosen) {
  return fit_each(table, chosen, [&](std::size_t edge, const std::vector<Scope>& runs, const std::vector<double>& y) {
    // The search for terms is not repeated: a dictionary of the terms that were found is the same law.
    const Family family = like[edge].family == Family::normal_form ? Family::dictionary : like[edge].family;
    return fit_law(family, like[edge].terms, runs, y);
  });
}

double predicted_total(const TimesTable& table, const Laws& laws, std::size_t run) {
  double total = 0;
  for (std::size_t edge = 0; edge < table.edges.size(); ++edge) {
    if (table.counts[edge][run] > 0) total += table.counts[edge][run] * laws[edge].at(table.runs[run]);
  }
  return total;
}

std::vector<Term> choose_terms(const TimesTable& table, SizeMeaning meaning) {
  std::vector<Term> best = base_terms(table, meaning);
  if (meaning != SizeMeaning::exponent || table.runs.size() < 8) return best;
  double largest = 0;
  for (const Scope& run : table.runs) largest = std::max(largest, run[Variable::X] / run[Variable::n]);
  double best_error = share_weighted_error(table, fit_laws(table, Family::dictionary, best, all_runs(table)));
  const std::vector<Term> plain = best;
  // Quarter powers of two below the largest work per node: beyond it nothing is seen of a cache, and far below
  // everything is.
  for (int quarter = -12; quarter <= -2; ++quarter) {
    const double exponent = quarter / 4.0;
    std::vector<Term> terms = plain;
    const double capacity = std::exp2(std::floor(4 * std::log2(largest)) / 4 + exponent);
    terms.push_back({.work = 1, .capacity = capacity});
    terms.push_back({.work = 1, .nodes = -0.5, .capacity = capacity});
    const double error = share_weighted_error(table, fit_laws(table, Family::dictionary, terms, all_runs(table)));
    if (error >= best_error) continue;
    best_error = error;
    best = std::move(terms);
  }
  return best;
}

std::vector<FamilyScore> score_families(const TimesTable& table, SizeMeaning meaning, bool quick) {
  std::vector<FamilyScore> scores;
  for (std::size_t i = 0; i < kFamilies; ++i) {
    const auto family = static_cast<Family>(i);
    if (!quick || family != Family::normal_form) scores.push_back(score_family(table, family, meaning));
  }
  return scores;
}

double penalised_error(const FamilyScore& score, std::size_t runs) {
  const auto count = static_cast<double>(std::max<std::size_t>(runs, 2));
  return score.error_pct * std::exp(score.parameters * std::log(count) / (2 * count));
}

TimesFit fit_times(const TimesTable& table, SizeMeaning meaning) {
  TimesFit fit;
  for (std::size_t i = 0; i < kFamilies; ++i)
    fit.scores.push_back(score_family(table, static_cast<Family>(i), meaning));
  const auto best =
      std::min_element(fit.scores.begin(), fit.scores.end(),
                       [](const FamilyScore& a, const FamilyScore& b) { return a.error_pct < b.error_pct; });
  fit.family = best->family;
  if (fit.family == Family::dictionary) fit.terms = choose_terms(table, meaning);
  fit.laws = fit_laws(table, fit.family, fit.terms, all_runs(table));
  double sum = 0;
  for (std::size_t run = 0; run < table.runs.size(); ++run)
    sum += relative_error(predicted_total(table, fit.laws, run), table.total_us(run));
  fit.error_pct = 100 * sum / static_cast<double>(std::max<std::size_t>(table.runs.size(), 1));
  leave_one_out(table, fit);
  return fit;
}

}  // namespace orrery::motif::fit
