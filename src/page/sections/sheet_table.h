// A Sheet as an HTML table: the columns that people see, as they read them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/html_writer.h"
#include "report/sheet.h"

namespace orrery::page {

struct SheetTable {
  std::string_view caption;                ///< what the table is, for who cannot see it
  std::size_t rows = ~std::size_t{0};      ///< this many; the others are counted below
  std::string_view rest = "rows";          ///< "and 12 more rows"
  std::vector<std::string_view> left_out;  ///< names of columns that are not shown
  /// Columns that only programs see as a rule, shown here, with their headings.
  std::vector<std::pair<std::string_view, std::string_view>> added = {};
  /// What tests and scripts find on a row, and on the cell of a column; may be empty.
  std::function<std::vector<report::HtmlAttribute>(std::size_t row)> of_row = {};
  std::function<std::vector<report::HtmlAttribute>(std::size_t row, std::size_t column)> of_cell = {};
};

/// The first column is the heading of its row. Nothing for a sheet without rows; columns in which nothing is known are
/// left out.
void write_sheet_table(report::HtmlWriter& html, const report::Sheet& sheet, const SheetTable& table);

/// As in tables: µ for micro; "" for what is not known.
std::string cell_text(const report::Sheet& sheet, std::size_t column, std::size_t row);

}  // namespace orrery::page
