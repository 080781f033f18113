#include "report/sheet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/bar.h"
#include "report/sheet_rows.h"
#include "report/sheet_value.h"
#include "report/table.h"
#include "report/text_width.h"

namespace orrery::report {
namespace {

constexpr std::size_t kBarColumns = 20;

std::vector<std::string> totals(const Sheet& sheet, const std::vector<std::size_t>& columns, std::string_view name) {
  std::vector<std::string> cells = {std::string(name)};
  for (std::size_t i = 1; i < columns.size(); ++i) {
    const std::size_t c = columns[i];
    const SheetColumn& about = sheet.columns()[c];
    std::int64_t integer = 0;
    double number = 0;
    for (std::size_t row = 0; row < sheet.rows(); ++row) {
      if (about.type == Type::text || about.type == Type::integers || sheet.is_null(c, row)) continue;
      // The bits of a real are no integer to be added.
      if (about.type != Type::real) integer += sheet.integer(c, row);
      number += sheet.number(c, row);
    }
    const bool has_sum = about.type == Type::integer || about.type == Type::time || about.type == Type::real;
    cells.push_back(has_sum ? number_text(about, integer, number) : "");
    if (about.with_bar) cells.emplace_back();
  }
  return cells;
}

Table table_of(const Sheet& sheet, const std::vector<std::size_t>& columns) {
  std::vector<TableColumn> headings;
  for (const std::size_t c : columns) {
    const SheetColumn& about = sheet.columns()[c];
    const bool is_text = about.type == Type::text || about.type == Type::integers;
    // The first column names the row, whatever its type.
    headings.push_back({about.title, is_text || c == columns.front() ? Align::left : Align::right});
    if (about.with_bar) headings.push_back({"", Align::left});
  }
  return Table(std::move(headings));
}

}  // namespace

std::string to_text(const Sheet& sheet, const SheetView& view) {
  const std::vector<std::size_t> columns = shown_columns(sheet);
  Table table = table_of(sheet, columns);
  std::size_t left_out = 0;
  for (const ShownRow& row : shown_rows(sheet, columns, view)) {
    if (table.rows() >= view.rows) {
      left_out += row.count;
      continue;
    }
    std::vector<std::string> cells;
    for (const std::size_t c : columns) {
      cells.push_back(c == columns.front() ? name_of_alike(sheet, c, row) : value_text(sheet, c, row.first));
      if (sheet.columns()[c].with_bar) cells.push_back(bar(sheet.number(c, row.first) / 100, kBarColumns));
    }
    table.add_row(std::move(cells), sheet.tone(row.first));
  }
  if (table.rows() == 0) return {};
  if (!view.total.empty()) {
    table.add_rule();
    table.add_row(totals(sheet, columns, view.total));
  }
  std::string text = table.render(view.width, view.style, view.indent);
  if (left_out > 0) text += fmt::format("{:{}}and {} more {}\n", "", view.indent, format_count(left_out), view.rest);
  return text;
}

std::string to_lines(const Sheet& sheet, std::size_t row, std::size_t indent) {
  std::size_t widest = 0;
  for (const SheetColumn& column : sheet.columns()) widest = std::max(widest, display_width(column.title));
  std::string lines;
  for (const std::size_t c : shown_columns(sheet)) {
    if (sheet.is_null(c, row)) continue;
    const std::string value = printable(value_text(sheet, c, row));
    if (!value.empty()) lines += std::string(indent, ' ') + pad_right(sheet.columns()[c].title, widest + 2) + value + "\n";
  }
  return lines;
}

}  // namespace orrery::report
