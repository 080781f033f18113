// Which rows of a Sheet people are shown, and in which order.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/sheet.h"
#include "report/sheet_view.h"

namespace orrery::report {

/// One line of a table: a row, and those that it stands for.
struct ShownRow {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t count = 1;
};

/// The columns that people see.
std::vector<std::size_t> shown_columns(const Sheet& sheet);

/// All rows, merged and ordered as the view asks; it is the caller who cuts them. O(rows log rows).
std::vector<ShownRow> shown_rows(const Sheet& sheet, const std::vector<std::size_t>& columns, const SheetView& view);

/// What the first column says of them all, if `first` and `last` are what it says of the two at the ends.
std::string name_of_alike(const Sheet& sheet, std::size_t column, const ShownRow& row);

}  // namespace orrery::report
