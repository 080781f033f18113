#include "report/sheet_json.h"

#include <string>

namespace orrery::report {
namespace {

// Exact where they are whole: other tools count in nanoseconds, and are compared digit by digit.
void write_time_ns(JsonWriter& json, TimePs ps) {
  if (ps % kPsPerNs == 0) json.value(ps / kPsPerNs);
  else json.value(static_cast<double>(ps) / static_cast<double>(kPsPerNs));
}

// "0, 1, 2" as [0,1,2]: compact, as everything else.
void write_list(JsonWriter& json, std::string_view numbers) {
  std::string list = "[";
  for (const char c : numbers) {
    if (c != ' ') list += c;
  }
  json.raw(list + "]");
}

void write_value(JsonWriter& json, const Sheet& sheet, std::size_t column, std::size_t row) {
  if (sheet.is_null(column, row)) return void(json.null());
  const SheetColumn& about = sheet.columns()[column];
  switch (about.type) {
    case Type::text: return void(json.value(sheet.text(column, row)));
    case Type::json: return void(json.raw(sheet.text(column, row)));
    case Type::integers: return write_list(json, sheet.text(column, row));
    case Type::integer: return void(json.value(sheet.integer(column, row)));
    case Type::flag: return void(json.value(sheet.integer(column, row) != 0));
    case Type::real: return void(json.value(sheet.number(column, row)));
    case Type::time:
      if (about.unit == Unit::ns) return write_time_ns(json, sheet.integer(column, row));
      return void(json.value(sheet.number(column, row)));
  }
}

}  // namespace

void write_members(JsonWriter& json, const Sheet& sheet, std::size_t row) {
  for (std::size_t c = 0; c < sheet.columns().size(); ++c) {
    if (sheet.columns()[c].people_only) continue;
    json.key(sheet.columns()[c].key());
    write_value(json, sheet, c, row);
  }
}

void write_row(JsonWriter& json, const Sheet& sheet, std::size_t row) {
  json.begin_object();
  write_members(json, sheet, row);
  json.end_object();
}

void write_sheet(JsonWriter& json, const Sheet& sheet) {
  json.key(sheet.name()).begin_array();
  for (std::size_t row = 0; row < sheet.rows(); ++row) write_row(json, sheet, row);
  json.end_array();
}

}  // namespace orrery::report
