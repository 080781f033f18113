// The terms that laws are sums of: X^a n^b (log2 n)^c t^d, and the part of the work per node that no longer fits into a cache.
#pragma once

#include <string>
#include <vector>

#include "motif/fit/nonnegative.h"
#include "motif/scope.h"

namespace orrery::motif::fit {

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
