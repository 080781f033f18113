// The tables as an SQLite file.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "query/connection.h"
#include "query/virtual_table.h"

namespace orrery::query {

// The views under Perfetto's names, in nanoseconds, so that a query written for its trace processor has less to change.

struct View {
  std::string_view name;
  std::string_view select;
};

// Integer division rounds to zero, and a nanosecond is rounded down, before time 0 as well.
inline constexpr std::array kViews = {
    View{"slice",
         "SELECT id, (start_ps - ((start_ps % 1000) + 1000) % 1000) / 1000 AS ts, "
         "(end_ps - ((end_ps % 1000) + 1000) % 1000) / 1000 - (start_ps - ((start_ps % 1000) + 1000) % 1000) / 1000 AS "
         "dur, "
         "track AS track_id, category, name, depth, parent AS parent_id, id AS arg_set_id FROM events"},
    View{"thread",
         "SELECT l.track AS utid, l.thread AS tid, l.name AS name, p.upid AS upid "
         "FROM lanes l JOIN process p ON p.rank = l.rank AND p.pid = l.process"},
    View{"thread_track", "SELECT track AS id, track AS utid, name FROM lanes"},
    View{"args_flat",
         "SELECT event AS arg_set_id, key AS flat_key, key, CASE WHEN typeof(value) = 'integer' THEN value END AS "
         "int_value, "
         "CASE WHEN typeof(value) = 'text' THEN value END AS string_value, CASE WHEN typeof(value) = 'real' THEN value "
         "END AS real_value, "
         "CASE typeof(value) WHEN 'integer' THEN 'int' WHEN 'text' THEN 'string' ELSE typeof(value) END AS value_type, "
         "CAST(value AS TEXT) AS display_value FROM args"},
};

/// Reads `tables` through `source` and writes them, the views and a few indexes to `path`, aside first. What cannot be
/// made is left empty and counted in `remarks`; `failure` is where the tables of `source` keep their errors.
Status write_database(sqlite3* source, std::span<const VirtualTable* const> tables, Failure& failure,
                      const std::string& path, Diagnostics& remarks);

}  // namespace orrery::query
