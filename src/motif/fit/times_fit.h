// Laws of the times of transitions: one family, and of the dictionary one cache capacity, for all of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "motif/fit/law.h"
#include "motif/fit/observation.h"

namespace orrery::motif::fit {

/// Mean times and counts of every transition in every run.
struct TimesTable {
  std::vector<Scope> runs = {};
  std::vector<Edge> edges = {};
  std::vector<std::vector<double>> counts = {};   ///< by edge, then by run; 0 where the run has none
  std::vector<std::vector<double>> mean_us = {};  ///< likewise; 0 where the run has none

  [[nodiscard]] double total_us(std::size_t run) const;
};

using Laws = std::vector<Law>;  ///< one per edge of the table

/// How well a family predicts runs that it was not fitted to.
struct FamilyScore {
  Family family = Family::constant;
  double error_pct = 0;   ///< mean error of the totals of left-out runs
  double parameters = 0;  ///< per transition, in the mean
};

struct TimesFit {
  Family family = Family::constant;
  std::vector<Term> terms = {};  ///< of the dictionary
  Laws laws = {};
  std::vector<FamilyScore> scores = {};
  double error_pct = 0;           ///< of the totals of the runs themselves
  double left_out_error_pct = 0;  ///< each run left out in turn
  double residual = 0;            ///< robust deviation of log(predicted / measured) over left-out runs
};

/// The terms of the dictionary for these runs, with the cache capacity that fits best.
std::vector<Term> choose_terms(const TimesTable& table, SizeMeaning meaning);

/// How well each family extrapolates, without `normal_form` where `quick`.
std::vector<FamilyScore> score_families(const TimesTable& table, SizeMeaning meaning, bool quick);
/// The error with Schwarz's penalty for its parameters: what families are chosen by.
double penalised_error(const FamilyScore& score, std::size_t runs);

/// The laws of `like` fitted anew to the runs whose numbers are in `chosen` (with repetitions: resampling); each keeps
/// its terms.
Laws refit_laws(const TimesTable& table, const Laws& like, const std::vector<std::size_t>& chosen);

/// Fits to the runs whose numbers are in `chosen` (with repetitions: resampling).
Laws fit_laws(const TimesTable& table, Family family, const std::vector<Term>& terms,
              const std::vector<std::size_t>& chosen);

/// The total that `laws` give with the run's own counts.
double predicted_total(const TimesTable& table, const Laws& laws, std::size_t run);

TimesFit fit_times(const TimesTable& table, SizeMeaning meaning);

}  // namespace orrery::motif::fit
