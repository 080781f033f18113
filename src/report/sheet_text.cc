#include "report/sheet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <string_view>
#include <vector>

#include "report/bar.h"
#include "report/text_width.h"

// Cells become texts in the unit of their column; rows that would look the same are put together; and the table is
// fitted to the width by taking columns from the widest one that may shrink.

namespace orrery::report {
namespace {

std::string integer_text(std::int64_t number, const SheetColumn& about) {
  if (about.decimals == kExact) return std::to_string(number);
  const auto magnitude =
      number < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  const std::string text = about.unit == Unit::bytes ? format_bytes(magnitude) : format_count(magnitude);
  return number < 0 ? "-" + text : text;
}

std::string real_text(double number, const SheetColumn& about) {
  if (about.decimals == kExact) return fmt::format("{}", number);
  const bool chosen = about.decimals != kAsReadersWould;
  switch (about.unit) {
    // A change of "<0.1 %" would not say which way.
    case Unit::pct:
      return chosen || about.is_change ? fmt::format("{:.{}f} %", number, chosen ? about.decimals : 1)
                                       : percent(number, 100);
    case Unit::gb_per_s: return fmt::format("{:.{}f} GB/s", number, chosen ? about.decimals : 2);
    default: return fmt::format("{:.{}f}", number, chosen ? about.decimals : 2);
  }
}

std::string time_text(TimePs ps, double in_unit, const SheetColumn& about) {
  if (about.decimals == kAsReadersWould) return format_duration(ps);
  return about.decimals == kExact ? fmt::format("{}", in_unit) : fmt::format("{:.{}f}", in_unit, about.decimals);
}

}  // namespace

std::string number_text(const SheetColumn& about, std::int64_t integer, double number) {
  std::string text = about.type == Type::time   ? time_text(integer, number, about)
                     : about.type == Type::real ? real_text(number, about)
                                                : integer_text(integer, about);
  // A real of 0 has a sign as well, which says that it is a change.
  const bool has_sign = about.is_change && number >= 0 && (number > 0 || about.type == Type::real);
  return has_sign ? "+" + text : text;
}

std::string value_text(const Sheet& sheet, std::size_t column, std::size_t row) {
  if (sheet.is_null(column, row)) return "-";
  const SheetColumn& about = sheet.columns()[column];
  switch (about.type) {
    case Type::text:
    case Type::integers:
    case Type::json: return std::string(sheet.text(column, row));
    case Type::flag: return sheet.integer(column, row) != 0 ? "yes" : "no";
    default: return number_text(about, sheet.integer(column, row), sheet.number(column, row));
  }
}

std::vector<std::size_t> shown_columns(const Sheet& sheet) {
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < sheet.columns().size(); ++c) {
    if (!sheet.columns()[c].title.empty()) shown.push_back(c);
  }
  return shown;
}

std::vector<ShownRow> shown_rows(const Sheet& sheet, const std::vector<std::size_t>& columns, const SheetView& view) {
  std::vector<ShownRow> rows;
  std::map<std::vector<std::int64_t>, std::size_t> known;
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    if (view.merge_alike) {
      // Only what is shown counts: rows that differ in what a reader does not see would look like the same row twice.
      std::vector<std::int64_t> key;
      // The first column names the row, and is the one that may differ.
      for (std::size_t i = 1; i < columns.size(); ++i) key.push_back(sheet.integer(columns[i], row));
      const auto [at, is_new] = known.emplace(std::move(key), rows.size());
      if (!is_new) {
        ++rows[at->second].count;
        rows[at->second].last = row;
        continue;
      }
    }
    rows.push_back({row, row, 1});
  }
  if (view.largest.empty()) return rows;
  const std::size_t by = sheet.find(view.largest);
  std::stable_sort(rows.begin(), rows.end(), [&](const ShownRow& a, const ShownRow& b) {
    return sheet.number(by, a.first) > sheet.number(by, b.first);
  });
  return rows;
}

std::string name_of_alike(const Sheet& sheet, std::size_t column, const ShownRow& row) {
  const std::string first = value_text(sheet, column, row.first);
  if (row.count == 1) return first;
  if (sheet.columns()[column].type != Type::integer)
    return fmt::format("{}, and {} more like it", first, format_count(row.count - 1));
  const std::string last = value_text(sheet, column, row.last);
  // "0 to 15" must mean all sixteen: neither a row between them nor a number may be missing.
  const auto span = static_cast<std::size_t>(sheet.integer(column, row.last) - sheet.integer(column, row.first)) + 1;
  if (row.last - row.first + 1 == row.count && span == row.count) return fmt::format("{} to {}", first, last);
  return fmt::format("{} alike, {} to {}", format_count(row.count), first, last);
}

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
          // Numbers are never cut: a part of a number is another number.
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
  // Blanks at the end of a line would show in files that are compared.
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
      if (holds_text(about.type) || sheet.is_null(c, row)) continue;
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
    const bool is_text = holds_text(about.type);
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
      // A bar is of percents: a hundred fills it.
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
