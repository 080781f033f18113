#include "report/sheet_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/sheet_value.h"

namespace orrery::report {

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

}  // namespace orrery::report
