// One export while it is read: its database, its texts and its processes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "base/result.h"
#include "base/sqlite/sqlite_file.h"
#include "formats/nsys/diagnostics.h"
#include "formats/nsys/payloads.h"
#include "formats/nsys/process.h"
#include "formats/nsys/text_table.h"

namespace orrery::nsys {

struct ExportOptions {
  bool salvage = false;
  bool operands = false;  ///< grids, graphs and sizes of operators (trace::is_operand)
};

class Export {
 public:
  Export(std::string file_path, const SqliteFile& database, Interner& texts_of_trace, Diagnostics& remarks,
         ExportOptions chosen)
      : path(std::move(file_path)),
        options(chosen),
        strings(texts_of_trace),
        diagnostics(remarks),
        processes(texts_of_trace),
        file(database) {}

  const std::string path;
  const ExportOptions options;
  Interner& strings;
  Diagnostics& diagnostics;
  TextTable texts;
  Processes processes;
  NameCache names{texts, strings, as_it_is};
  NameCache calls{texts, strings, without_version};

  /// Calls take(rows) for each row of a table; a table that is not there has none. Damage is an Error, or with salvage
  /// the end of the table.
  template <typename Take>
  Status walk(std::string_view table, std::span<const std::string_view> columns, Take&& take) {
    Result<SqliteRows> rows = file.rows(table, columns);
    if (!rows) return rows.error();
    while (rows->next()) take(*rows);
    if (rows->long_values() > 0) diagnostics.add_many(kLongValue, rows->long_values(), where(table, rows->rows()));
    if (!rows->damage()) return {};
    if (!options.salvage) return *rows->damage();
    diagnostics.add(kSalvaged, [&] { return rows->damage()->to_string(); });
    return {};
  }

  /// The process of a row, by its globalPid or globalTid.
  Process& process_of_row(const SqliteRows& row, int column, std::string_view table) {
    if (row.is_integer(column)) return processes.of(row.integer(column, 0));
    diagnostics.add(kNoProcess, [&] { return where(table, row.rows()); });
    return processes.first();
  }

  /// The text of a number in a column of names.
  StringId name_of(const SqliteRows& row, int column, NameCache& cache, std::string_view table) {
    const std::int64_t id = row.integer(column, -1);
    const StringId name = cache.find(id);
    if (name == 0 && !cache.has(id)) diagnostics.add(kUnknownText, [&] { return where(table, row.rows()); });
    return name;
  }

  void leave_out(std::string_view table, std::uint64_t row) {
    diagnostics.add(kUnusableRow, [&] { return where(table, row); });
  }

  [[nodiscard]] std::string where(std::string_view table, std::uint64_t row) const {
    return path + ": " + std::string(table) + ", row " + std::to_string(row);
  }

 private:
  const SqliteFile& file;
};

// In the order in which they have to be called: waits need the devices of contexts, kernels the nodes of graphs.

/// Runtime and driver calls, and what the profiler took itself.
Status read_calls(Export& reading);
/// NVTX: ranges, marks, domains and payloads.
Status read_ranges(Export& reading);
/// Kernels, copies, sets, whole graphs, and waits.
Status read_device_work(Export& reading);
/// Names of lanes, devices and processes; what the export says of itself.
Status read_names(Export& reading, std::int64_t epoch_unix_ns);

}  // namespace orrery::nsys
