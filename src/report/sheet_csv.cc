#include "report/sheet_csv.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace orrery::report {
namespace {

std::string field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';  // a quote inside quotes is written twice
    quoted += c;
  }
  return quoted + "\"";
}

std::string csv_value(const Sheet& sheet, std::size_t column, std::size_t row) {
  if (sheet.is_null(column, row)) return {};
  const SheetColumn& about = sheet.columns()[column];
  switch (about.type) {
    case Type::text:
    case Type::json:
    case Type::integers: return field(sheet.text(column, row));
    case Type::integer: return std::to_string(sheet.integer(column, row));
    case Type::flag: return sheet.integer(column, row) != 0 ? "true" : "false";
    case Type::real:
    case Type::time:
      return fmt::format("{}", sheet.number(column, row));  // the shortest text that reads back to the same bits
  }
  return {};
}

}  // namespace

std::string to_csv(const Sheet& sheet) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < sheet.columns().size(); ++c) {
    if (!sheet.columns()[c].people_only) columns.push_back(c);
  }
  std::string text;
  const auto add_line = [&](const auto& text_of) {
    for (const std::size_t c : columns) text += (c != columns.front() ? "," : "") + text_of(c);
    text += "\n";
  };
  add_line([&](std::size_t c) { return field(sheet.columns()[c].key()); });
  for (std::size_t row = 0; row < sheet.rows(); ++row)
    add_line([&](std::size_t c) { return csv_value(sheet, c, row); });
  return text;
}

std::string to_csv(std::span<const Sheet> sheets) {
  if (sheets.size() == 1) return to_csv(sheets.front());
  std::string text;
  for (const Sheet& sheet : sheets) text += (text.empty() ? "# " : "\n# ") + sheet.name() + "\n" + to_csv(sheet);
  return text;
}

}  // namespace orrery::report
