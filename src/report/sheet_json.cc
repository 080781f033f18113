#include "report/sheet_json.h"

namespace orrery::report {
namespace {

void write_value(JsonWriter& json, const Sheet& sheet, std::size_t column, std::size_t row) {
  if (sheet.is_null(column, row)) return void(json.null());
  const SheetColumn& about = sheet.columns()[column];
  switch (about.type) {
    case Type::text: return void(json.value(sheet.text(column, row)));
    case Type::integer: return void(json.value(sheet.integer(column, row)));
    case Type::flag: return void(json.value(sheet.integer(column, row) != 0));
    case Type::real: return void(json.value(sheet.number(column, row)));
    case Type::time: {
      // Whole nanoseconds are written as integers: other tools count in them, and are compared digit by digit.
      const std::int64_t ps = sheet.integer(column, row);
      if (about.unit == Unit::ns && ps % kPsPerNs == 0) return void(json.value(ps / kPsPerNs));
      return void(json.value(sheet.number(column, row)));
    }
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
