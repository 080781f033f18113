// Sheets for people: the columns that have a title, in the units that a reader would choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/sheet.h"
#include "report/sheet_view.h"
#include "report/style.h"

namespace orrery::report {

// Which rows of a Sheet people are shown, and in which order.

// A value of a Sheet, for people.

/// One value as a reader would write it: 57.4 ms, 71.3 %, 338 MB, 1,234; "-" if it is not known.
std::string value_text(const Sheet& sheet, std::size_t column, std::size_t row);

/// A number that is in no row, like a sum, as value_text writes those of the column: `integer` of integers and times,
/// `number` in the column's unit.
std::string number_text(const SheetColumn& about, std::int64_t integer, double number);

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

// Tables for people: aligned columns under a header, cut to the width of the terminal.

enum class Align : std::uint8_t { left, right };

/// A heading and how the cells stand below it. Text goes left, numbers right.
struct TableColumn {
  std::string title;
  Align align = Align::left;
};

/// Collects rows and lays them out in one go:
///
///     on the path          time  share
///     ---------------  --------  -----
///     ampere_sgemm_1…   41.2 ms   71 %
///
/// Cells are made printable (see text_width.h), so that a name from a trace cannot break the layout or drive the
/// terminal. When the table is wider than asked, the widest left-aligned columns are cut in the middle, down to
/// kMinColumns each; numbers are never cut. The result depends on the cells, the width and the style only.
class Table {
 public:
  static constexpr std::size_t kMinColumns = 8;

  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  /// One cell per column; missing ones are empty, surplus ones are our own bug.
  void add_row(std::vector<std::string> cells, Tone tone = Tone::plain);
  /// A rule across the table, as before a total.
  void add_rule();
  [[nodiscard]] std::size_t rows() const { return rows_.size(); }

  /// The table, each line indented by `indent` and at most `width` columns where cutting can achieve that, without
  /// blanks at the ends.
  [[nodiscard]] std::string render(std::size_t width, const Style& style = {}, std::size_t indent = 0) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Tone tone = Tone::plain;
    bool rule = false;
  };

  [[nodiscard]] std::vector<std::size_t> layout(std::size_t width) const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const;

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
};

/// The table. Ends with a newline; empty if there is no row.
std::string to_text(const Sheet& sheet, const SheetView& view);

/// One row as lines, a column each: "  format       kineto", indented by `indent`. Columns whose value is unknown or an
/// empty text are left out.
std::string to_lines(const Sheet& sheet, std::size_t row, std::size_t indent);

}  // namespace orrery::report
