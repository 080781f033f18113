// Sheets as JSON: a list of objects, one per row, with the columns' keys.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/json/json_writer.h"
#include "report/sheet.h"

namespace orrery::report {

/// {"finish_us": 12.5, ...}: one row with its braces.
void write_row(JsonWriter& json, const Sheet& sheet, std::size_t row);
/// The members of a row without braces, for a caller who adds to them.
void write_members(JsonWriter& json, const Sheet& sheet, std::size_t row);
/// "name": [rows...], as a member of the object that is open.
void write_sheet(JsonWriter& json, const Sheet& sheet);

}  // namespace orrery::report
