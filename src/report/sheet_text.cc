#include "report/sheet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/bar.h"
#include "report/table.h"

namespace orrery::report {
namespace {

constexpr std::size_t kBarColumns = 20;

std::string signless(std::int64_t number) {
  return number < 0 ? "-" + format_count(static_cast<std::uint64_t>(-number)) : format_count(static_cast<std::uint64_t>(number));
}

std::string real_text(double number, Unit unit) {
  switch (unit) {
    case Unit::pct: return percent(number, 100);
    case Unit::gb_per_s: return fmt::format("{:.2f} GB/s", number);
    case Unit::per_s: return fmt::format("{:.4g}/s", number);
    default: return fmt::format("{:.2f}", number);
  }
}

/// The columns that people see.
std::vector<std::size_t> shown_columns(const Sheet& sheet) {
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < sheet.columns().size(); ++c) {
    if (!sheet.columns()[c].title.empty()) shown.push_back(c);
  }
  return shown;
}

struct Shown {
  std::size_t row = 0;
  std::size_t count = 1;  ///< rows that it stands for
};

std::vector<Shown> shown_rows(const Sheet& sheet, const std::vector<std::size_t>& columns, bool merge_alike) {
  std::vector<Shown> rows;
  std::map<std::vector<std::int64_t>, std::size_t> known;
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    if (merge_alike) {
      std::vector<std::int64_t> key;
      for (std::size_t i = 1; i < columns.size(); ++i) key.push_back(sheet.integer(columns[i], row));
      const auto [at, is_new] = known.emplace(std::move(key), rows.size());
      if (!is_new) {
        ++rows[at->second].count;
        continue;
      }
    }
    rows.push_back({row, 1});
  }
  return rows;
}

}  // namespace

std::string value_text(const Sheet& sheet, std::size_t column, std::size_t row) {
  if (sheet.is_null(column, row)) return "unknown";
  const SheetColumn& about = sheet.columns()[column];
  switch (about.type) {
    case Type::text: return std::string(sheet.text(column, row));
    case Type::time: return format_duration(sheet.integer(column, row));
    case Type::flag: return sheet.integer(column, row) != 0 ? "yes" : "no";
    case Type::real: return real_text(sheet.number(column, row), about.unit);
    case Type::integer: break;
  }
  const std::int64_t number = sheet.integer(column, row);
  return about.unit == Unit::bytes ? format_bytes(static_cast<std::uint64_t>(number)) : signless(number);
}

std::string to_text(const Sheet& sheet, const SheetView& view) {
  const std::vector<std::size_t> columns = shown_columns(sheet);
  std::vector<TableColumn> headings;
  for (const std::size_t c : columns) {
    const SheetColumn& about = sheet.columns()[c];
    // The first column names the row, whatever its type.
    headings.push_back({about.title, about.type == Type::text || c == columns.front() ? Align::left : Align::right});
    if (about.with_bar) headings.push_back({"", Align::left});
  }
  Table table(std::move(headings));
  const std::vector<Shown> rows = shown_rows(sheet, columns, view.merge_alike);
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i >= view.rows) {
      left_out += rows[i].count;
      continue;
    }
    std::vector<std::string> cells;
    for (const std::size_t c : columns) {
      cells.push_back(value_text(sheet, c, rows[i].row));
      if (sheet.columns()[c].with_bar) cells.push_back(bar(sheet.number(c, rows[i].row) / 100, kBarColumns));
    }
    if (rows[i].count > 1) cells.front() += fmt::format(" and {} more alike", format_count(rows[i].count - 1));
    table.add_row(std::move(cells), sheet.tone(rows[i].row));
  }
  if (table.rows() == 0) return {};
  std::string text = table.render(view.width, view.style);
  if (left_out > 0) text += fmt::format("and {} more {}\n", format_count(left_out), view.rest);
  return text;
}

}  // namespace orrery::report
