#include "report/sheet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <string_view>
#include <vector>

#include "report/bar.h"
#include "report/sheet_rows.h"
#include "report/sheet_value.h"
#include "report/text_width.h"

namespace orrery::report {
namespace {

constexpr std::string_view kGap = "  ";

}  // namespace

void Table::add_row(std::vector<std::string> cells, Tone tone) {
  assert(cells.size() <= columns_.size());
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back({std::move(cells), tone});
}

void Table::add_rule() { rows_.push_back({.cells = {}, .rule = true}); }

std::vector<std::size_t> Table::layout(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = display_width(columns_[c].title);
    for (const Row& row : rows_) {
      if (!row.rule) widest = std::max(widest, display_width(row.cells[c]));
    }
    widths.push_back(widest);
  }
  std::size_t total = columns_.empty() ? 0 : kGap.size() * (columns_.size() - 1);
  for (const std::size_t w : widths) total += w;
  // One column at a time from the widest (the first of equals): the result is as even as it can be.
  for (; total > width; --total) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool may_shrink =
          columns_[c].align == Align::left && widths[c] > std::max(kMinColumns, display_width(columns_[c].title));
      if (may_shrink && (widest == nullptr || widths[c] > *widest)) widest = &widths[c];
    }
    if (widest == nullptr) break;
    --*widest;
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths) const {
  std::string text;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (c > 0) text += kGap;
    const std::string cell = truncate_middle(cells[c], widths[c]);
    text += columns_[c].align == Align::right ? pad_left(cell, widths[c]) : pad_right(cell, widths[c]);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string Table::render(std::size_t width, const Style& style, std::size_t indent) const {
  const std::vector<std::size_t> widths = layout(width > indent ? width - indent : 0);
  const std::string margin(indent, ' ');
  std::vector<std::string> titles, dashes;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    dashes.emplace_back(widths[c], '-');
  }
  const std::string rule = margin + style.paint(Tone::faint, line(dashes, widths)) + "\n";
  std::string text = margin + style.paint(Tone::strong, line(titles, widths)) + "\n" + rule;
  for (const Row& row : rows_) text += row.rule ? rule : margin + style.paint(row.tone, line(row.cells, widths)) + "\n";
  return text;
}

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
    if (!value.empty())
      lines += std::string(indent, ' ') + pad_right(sheet.columns()[c].title, widest + 2) + value + "\n";
  }
  return lines;
}

}  // namespace orrery::report
