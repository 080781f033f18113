// Sheets for people: the columns that have a title, in the units that a reader would choose.
#pragma once

#include <cstddef>
#include <string>

#include "report/sheet.h"
#include "report/sheet_view.h"

namespace orrery::report {

/// The table. Ends with a newline; empty if there is no row.
std::string to_text(const Sheet& sheet, const SheetView& view);

/// One row as lines, a column each: "  format       kineto", indented by `indent`. Columns whose value is unknown or an empty text are left out.
std::string to_lines(const Sheet& sheet, std::size_t row, std::size_t indent);

}  // namespace orrery::report
