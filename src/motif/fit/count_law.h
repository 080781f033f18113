// Laws of how often something happens: exact ones of trip counts, which follow from the number of ranks, and fitted ones of what chance decides.
#pragma once

#include <optional>
#include <span>

#include "motif/formula.h"
#include "motif/scope.h"

namespace orrery::motif::fit {

/// The simplest a * v + b with whole a and b and v one of 1, q, log2(p), p, n, s, X, t that gives every value exactly; nothing if there is none. A
/// variable must take two values at least to be seen.
std::optional<Formula> exact_law(std::span<const RunParameters> runs, std::span<const double> values, SizeMeaning meaning);

/// A law of rates: `counts[i]` of `chances[i]`. Constant, linear in the size (and in log2 n), or, for what never exceeds one, a logistic curve; the
/// simplest that Schwarz's criterion (BIC) does not reject.
Formula rate_law(std::span<const RunParameters> runs, std::span<const double> counts, std::span<const double> chances, SizeMeaning meaning);

}  // namespace orrery::motif::fit
