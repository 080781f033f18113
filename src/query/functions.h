// What our SQL has beside SQLite's own functions.
#pragma once

#include <sqlite3.h>

#include "base/result.h"

namespace orrery::query {

/// union_ps(start_ps, dur_ps): an aggregate, how long any of the intervals lasts. Rows with a null count nothing, and
/// so do intervals that do not end after they start. 16 bytes per row while it adds up.
///
/// text REGEXP pattern: whether RE2 finds the pattern in the text, for which SQLite has the operator and no function.
/// Null of a null.
Status add_functions(sqlite3* connection);

}  // namespace orrery::query
