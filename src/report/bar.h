// Shares of a whole, as text: a percentage and a bar, for breakdown tables.
#pragma once

#include <cstddef>
#include <string>

namespace orrery::report {

/// "71.3 %" of `whole`; "-" when there is no whole to have a share of. Small shares that are not zero read "<0.1 %",
/// never "0.0 %".
std::string percent(double part, double whole);

/// A bar of at most `columns`, in steps of an eighth of a column; a share above zero shows at least the thinnest piece.
/// `fraction` is cut to [0, 1]; NaN is 0.
std::string bar(double fraction, std::size_t columns);

}  // namespace orrery::report
