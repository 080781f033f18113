// Sheets for people: the columns that have a title, in the units that a reader would choose.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/sheet.h"
#include "report/style.h"

namespace orrery::report {

struct SheetView {
  std::size_t width = 100;
  Style style = {};
  std::size_t rows = ~std::size_t{0};  ///< show this many; the others are counted below the table
  std::string_view rest = "rows";      ///< "and 12 more rows": what those are called
  /// Rows that say the same but for their first column are shown as one, named by the first of them ("0 and 7 more alike").
  bool merge_alike = false;
};

/// The table, in the order of the rows. Ends with a newline; empty if there is no row.
std::string to_text(const Sheet& sheet, const SheetView& view);

/// One value as a reader would write it: 57.4 ms, 71.3 %, 338 MB, 1,234.
std::string value_text(const Sheet& sheet, std::size_t column, std::size_t row);

}  // namespace orrery::report
