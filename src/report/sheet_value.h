// A value of a Sheet, for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/sheet.h"

namespace orrery::report {

/// One value as a reader would write it: 57.4 ms, 71.3 %, 338 MB, 1,234; "-" if it is not known.
std::string value_text(const Sheet& sheet, std::size_t column, std::size_t row);

/// A number that is in no row, like a sum, as value_text writes those of the column: `integer` of integers and times,
/// `number` in the column's unit.
std::string number_text(const SheetColumn& about, std::int64_t integer, double number);

}  // namespace orrery::report
