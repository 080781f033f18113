// What bounds a step before and after edits, as programs read it.
#pragma once

#include "base/json/json_writer.h"
#include "report/sheet.h"

namespace orrery::cli {

/// "bound_by_us": {"kernel": {"before": 5, "after": 2.5}}: the rows of analyze::changed_bounds_sheet under their kinds, as `path` names them.
void write_bounds_by_kind(JsonWriter& json, const report::Sheet& changed_bounds);

}  // namespace orrery::cli
