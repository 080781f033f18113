// Families of laws in the run's parameters, and their fits to measurements.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "motif/fit/terms.h"
#include "motif/formula.h"

namespace orrery::motif::fit {

enum class Family : std::uint8_t {
  constant,
  bilinear,     ///< A n s + B n + C s + D, as published
  exponential,  ///< exp(A n s + B n + C s + D), as published
  polynomial,   ///< sum of c_ij s^i n^j, up to the fourth degree, as published
  power,        ///< c X^a n^b
  normal_form,  ///< c0 and at most two of X^a n^b (log2 n)^c, chosen per law (performance-model normal form; Calotoiu
                ///< et al. 2013)
  dictionary,   ///< one set of terms for all laws, coefficients that are not negative
};
inline constexpr std::size_t kFamilies = 7;
inline constexpr std::array<std::string_view, kFamilies> kFamilyNames = {
    "constant", "bilinear", "exponential", "polynomial", "power law", "normal form", "dictionary"};

/// A fitted law. Negative values of the published families count as zero.
struct Law {
  Family family = Family::constant;
  std::vector<Term> terms = {};           ///< of the last two and the constant
  std::vector<double> coefficients = {};  ///< in the order of the family's formula
  int degree = 0;                         ///< of a polynomial

  [[nodiscard]] double at(const Scope& scope) const;
  [[nodiscard]] std::string text() const;
};

/// `terms` is the dictionary. Measurements that are zero are allowed; there must be one at least.
Law fit_law(Family family, const std::vector<Term>& terms, const std::vector<Scope>& runs, std::span<const double> y);

/// (size, nodes) exponents of a polynomial in the order of the published files: 0,0 1,0 0,1 2,0 1,1 0,2 ...
std::vector<std::pair<int, int>> polynomial_powers(int degree);

}  // namespace orrery::motif::fit
