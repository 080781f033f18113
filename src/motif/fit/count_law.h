// Laws of how often something happens: exact ones of trip counts, which follow from the number of ranks, and fitted
// ones of what chance decides.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "motif/fit/law.h"
#include "motif/formula.h"

namespace orrery::motif::fit {

// Laws of what call sites send.

struct BytesFit {
  Formula formula = {};
  std::string family = {};
  double error_pct = 0;  ///< mean error of the runs it was fitted to
};

/// `bytes[i]` is the mean of a call in `runs[i]`. An exact law (8; 8*s) if there is one, otherwise the family that
/// predicts left-out runs best.
BytesFit fit_bytes(const std::vector<RunParameters>& runs, const std::vector<double>& bytes, SizeMeaning meaning);

/// The simplest a * v + b with whole a and b and v one of 1, q, log2(p), p, n, s, X, t that gives every value exactly;
/// nothing if there is none. A variable must take two values at least to be seen.
std::optional<Formula> exact_law(std::span<const RunParameters> runs, std::span<const double> values,
                                 SizeMeaning meaning);

/// Laws of the rates of several ways on from one place: `counts[k][i]` of `chances[i]` went the k-th way in run i.
/// Constant, linear in the size (and in log2 n), or, where none exceeds one, logistic curves; one kind for all of them,
/// since they share what comes: the simplest that Schwarz's criterion (BIC) does not reject.
std::vector<Formula> rate_laws(std::span<const RunParameters> runs, const std::vector<std::vector<double>>& counts,
                               std::span<const double> chances, SizeMeaning meaning);
/// Of one way.
Formula rate_law(std::span<const RunParameters> runs, std::span<const double> counts, std::span<const double> chances,
                 SizeMeaning meaning);

}  // namespace orrery::motif::fit
