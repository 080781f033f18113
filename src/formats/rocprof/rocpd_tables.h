// The tables of a rocpd database by what they hold, whatever process's id is in their names, and what rows refer to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "base/interner.h"
#include "base/result.h"
#include "base/sqlite/id_table.h"
#include "base/sqlite/sqlite_file.h"
#include "formats/rocprof/diagnostics.h"
#include "formats/rocprof/process.h"

namespace orrery::rocprof {

struct Agent {
  bool is_gpu = false;
  std::int64_t number = 0;  ///< among those of its type
  std::string name;
};

struct Event {
  std::int64_t stack = 0;  ///< the correlation: of device work that of the call that launched it
  StringId category = 0;   ///< HIP_RUNTIME_API_EXT
  StringId message = 0;    ///< of a marker
};

struct Track {
  std::int64_t process = 0, thread = 0, name = 0;
};

struct Thread {
  std::int64_t number = 0;
};

/// What rows of one recording (guid) refer to, by their numbers.
struct References {
  IdTable<StringId> texts, kernels;
  IdTable<Agent> agents;
  IdTable<Event> events;
  IdTable<Track> tracks;
  IdTable<Thread> threads;
  std::map<std::int64_t, Process*> processes;
  std::map<std::int64_t, std::string> hosts;                     ///< of nodes
  std::unordered_map<std::int64_t, match::CallArguments> calls;  ///< of events of RCCL
};

/// "rocpd_kernel_dispatch_0199a000_1000_7abc_8def_000000c0ffee": name and id. Empty id: the table is of all.
struct TableName {
  std::string_view name, guid;
};
TableName table_name(std::string_view table);

class RocpdTables {
 public:
  RocpdTables(std::string file_path, const SqliteFile& database, Diagnostics& remarks, bool salvages)
      : path(std::move(file_path)), diagnostics(remarks), file_(database), salvages_(salvages) {}

  /// Calls take(row, references of its recording) for each row of the tables called `name`: columns from 1 on, column 0
  /// is the recording's id.
  template <typename Take>
  Status walk(std::string_view name, std::span<const std::string_view> columns, Take&& take) {
    std::vector<std::string_view> asked = {"guid"};
    asked.insert(asked.end(), columns.begin(), columns.end());
    for (const std::string& table : file_.tables()) {
      const TableName found = table_name(table);
      if (found.name != name) continue;
      Result<SqliteRows> rows = file_.rows(table, asked);
      if (!rows) return rows.error();
      while (rows->next()) take(*rows, references_of(rows->bytes(0), found.guid));
      if (Status ended = end(table, *rows); !ended) return ended;
    }
    return {};
  }

  void leave_out(const DiagnosticKind& kind, std::string_view table, const SqliteRows& row) {
    diagnostics.add(kind,
                    [&] { return path + ": rocpd_" + std::string(table) + ", row " + std::to_string(row.rows()); });
  }
  std::map<std::string, std::unique_ptr<References>>& all() { return recordings_; }

  const std::string path;
  Diagnostics& diagnostics;

 private:
  References& references_of(std::string_view guid, std::string_view in_name);
  Status end(const std::string& table, const SqliteRows& rows);

  const SqliteFile& file_;
  bool salvages_;
  std::map<std::string, std::unique_ptr<References>> recordings_;
  std::string last_guid_;
  References* last_ = nullptr;
};

}  // namespace orrery::rocprof
