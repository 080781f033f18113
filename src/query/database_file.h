// The tables as an SQLite file.
#pragma once

#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "query/connection.h"
#include "query/virtual_table.h"

namespace orrery::query {

/// Reads `tables` through `source` and writes them, the views and a few indexes to `path`, aside first. What cannot be
/// made is left empty and counted in `remarks`; `failure` is where the tables of `source` keep their errors.
Status write_database(sqlite3* source, std::span<const VirtualTable* const> tables, Failure& failure,
                      const std::string& path, Diagnostics& remarks);

}  // namespace orrery::query
