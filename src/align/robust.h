// Order statistics that a few wild values cannot move.
#pragma once

#include <span>

namespace orrery::align {

/// The lower median; reorders `values`. 0 if there are none.
double median(std::span<double> values);
/// The value with a share of `q` (0 to 1) of the others below it; reorders `values`. 0 if there are none.
double quantile(std::span<double> values, double q);

}  // namespace orrery::align
