// Statistics as pandas describes a column, in doubles: count, mean, standard deviation, quartiles.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/units.h"
#include "report/sheet.h"

namespace orrery::analyze::hta {

/// The sum rounded once, whatever the order of the values (Shewchuk's partial sums, as Python's math.fsum).
double exact_sum(std::span<const double> values);
/// Not a number of nothing.
double mean(std::span<const double> values);
/// Of the sample, with n - 1; not a number for fewer than two values.
double deviation(std::span<const double> values);
/// x 10^digits to the nearest integer, half to even, divided by 10^digits; what is not finite stays.
double rounded(double x, int digits);
/// Not a number for a division by 0.
double divide(double a, double b);

struct Description {
  std::size_t count = 0;
  double mean = 0, std = 0, min = 0, p25 = 0, p50 = 0, p75 = 0, max = 0;
};
/// In any order. What does not exist is not a number.
Description describe(std::vector<double> values);
/// Each rounded.
Description rounded(const Description& description, int digits);

/// Adds count, mean, std, min, p25, p50, p75 and max; the seven have `prefix` in front and `unit` or `suffix` behind.
void add_description_columns(report::Sheet& sheet, report::Unit unit, std::string_view prefix = {},
                             std::string_view suffix = {});
void add_cells(const Description& description, std::vector<report::Cell>& cells);

}  // namespace orrery::analyze::hta
