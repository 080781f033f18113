// Shares of a whole, as text: a percentage and a bar, for breakdown tables.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>

namespace orrery::report {

// Numbers in the digits that people read: "1060", where %g writes "1.06e+03".

/// So many significant digits, without an exponent; zeros behind the point are left out. What is not finite is told as
/// such.
inline std::string plain_digits(double number, int digits) {
  std::string text = fmt::format("{:.{}g}", number, digits);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos || !std::isfinite(number)) return text;
  // What %g rounds to is what is written: only the form differs.
  const double rounded = std::stod(text);
  if (std::abs(rounded) >= 1) return fmt::format("{:.0f}", rounded);
  text = fmt::format("{:.{}f}", rounded, digits - 1 - std::stoi(text.substr(exponent + 1)));
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

/// "71.3 %" of `whole`; "-" when there is no whole to have a share of. Small shares that are not zero read "<0.1 %",
/// never "0.0 %".
std::string percent(double part, double whole);

/// A bar of at most `columns`, in steps of an eighth of a column; a share above zero shows at least the thinnest piece.
/// `fraction` is cut to [0, 1]; NaN is 0.
std::string bar(double fraction, std::size_t columns);

}  // namespace orrery::report
