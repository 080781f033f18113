#include "page/sections/sheet_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "page/sections/section.h"
#include "report/sheet_text.h"

namespace orrery::page {
namespace {

using report::HtmlAttribute;
using report::Sheet;

bool is_number(const Sheet& sheet, std::size_t column) {
  const report::Type type = sheet.columns()[column].type;
  return !report::holds_text(type) && type != report::Type::flag;
}

/// Nothing is known in any row: a column of nothing helps nobody.
bool is_empty(const Sheet& sheet, std::size_t column) {
  for (std::size_t row = 0; row < sheet.rows(); ++row) {
    if (!sheet.is_null(column, row)) return false;
  }
  return true;
}

}  // namespace

std::string cell_text(const Sheet& sheet, std::size_t column, std::size_t row) {
  if (sheet.is_null(column, row)) return "";
  const report::SheetColumn& about = sheet.columns()[column];
  if (about.type == report::Type::time && about.decimals == report::kAsReadersWould) {
    const TimePs time = sheet.integer(column, row);
    return about.is_change && time > 0 ? "+" + time_text(time) : time_text(time);
  }
  return report::value_text(sheet, column, row);
}

void write_sheet_table(report::HtmlWriter& html, const Sheet& sheet, const SheetTable& table) {
  if (sheet.rows() == 0) return;
  std::vector<std::size_t> columns = report::shown_columns(sheet);
  std::erase_if(columns, [&](std::size_t column) {
    return std::find(table.left_out.begin(), table.left_out.end(), sheet.columns()[column].name) !=
           table.left_out.end();
  });
  std::erase_if(columns, [&](std::size_t column) { return is_empty(sheet, column); });
  std::vector<std::string_view> titles;
  titles.reserve(columns.size());
  for (const std::size_t column : columns) titles.push_back(sheet.columns()[column].title);
  for (const auto& [name, title] : table.added) {
    if (const std::size_t column = sheet.find(name); !is_empty(sheet, column))
      columns.push_back(column), titles.push_back(title);
  }
  html.open("div", {{"class", "wide"}})
      .open("table")
      .element("caption", {{"class", "unseen"}}, table.caption)
      .open("thead")
      .open("tr");
  for (std::size_t i = 0; i < columns.size(); ++i) write_heading(html, titles[i], is_number(sheet, columns[i]));
  html.close("tr").close("thead").open("tbody");
  const std::size_t shown = std::min(sheet.rows(), table.rows);
  for (std::size_t row = 0; row < shown; ++row) {
    html.open("tr", table.of_row ? table.of_row(row) : std::vector<HtmlAttribute>());
    for (const std::size_t column : columns) {
      std::vector<HtmlAttribute> attributes = table.of_cell ? table.of_cell(row, column) : std::vector<HtmlAttribute>();
      if (column == columns.front()) {
        html.open("th", {{"scope", "row"}, {"class", is_number(sheet, column) ? "number" : "name"}})
            .text(cell_text(sheet, column, row))
            .close("th");
      } else if (is_number(sheet, column)) {
        write_number(html, cell_text(sheet, column, row), std::move(attributes));
      } else {
        html.open("td", attributes).text(cell_text(sheet, column, row)).close("td");
      }
    }
    html.close("tr");
  }
  html.close("tbody").close("table").close("div");
  if (shown < sheet.rows())
    html.element("p", {{"class", "about"}},
                 fmt::format("and {} more {}.", format_count(sheet.rows() - shown), table.rest));
}

}  // namespace orrery::page
