#include "base/sqlite/sqlite_file.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/interrupt.h"
#include "base/io/file_content.h"
#include "base/io/inflate.h"
#include "base/io/input.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// "a b" -> "a%20b": names with ? or # would end the path of a URI.
std::string percent_encoded(const std::string& path) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string encoded;
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                          c == '.' || c == '-' || c == '_';
    if (is_plain) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// A log that holds something. Where the file is reached by a link, it lies beside the file.
std::optional<std::string> write_ahead_log_of(const std::string& path) {
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  const std::string log = (failed ? path : real.string()) + "-wal";
  const auto size = fs::file_size(log, failed);
  return !failed && size > 0 ? std::optional(log) : std::nullopt;
}

/// Links below /dev lead to files that may have no name any more.
bool is_descriptor(const std::string& path) { return path.starts_with("/dev/") || path.starts_with("/proc/"); }

}  // namespace

struct SqliteFile::State {
  struct SchemaEntry {
    std::string name;
    bool is_table = false;  // a base table: it has pages of its own
  };

  ~State() { ::sqlite3_close_v2(connection); }

  std::string path;
  std::uint64_t file_bytes = 0;
  std::uint64_t content_bytes = 0;      // of the database itself
  std::optional<PrivateFolder> folder;  // must outlive the connection
  sqlite3* connection = nullptr;
  std::vector<SchemaEntry> schema;
  std::vector<std::string> tables;

  [[nodiscard]] Error error(const std::string& what) const { return {what, path, Error::kNoOffset, {}}; }
  Status connect(const std::string& name, bool may_change);
  Status guard();
  Status read_schema();
  [[nodiscard]] Result<std::vector<std::string>> columns_of(const std::string& table) const;
};

namespace {

/// A row takes at least four bytes: two of its cell and two that point to it.
constexpr std::uint64_t kLeastRowBytes = 4;
constexpr int kOperationsPerLook = 1 << 20;

int stop_when_asked(void*) { return is_stop_requested() ? 1 : 0; }

}  // namespace

Status SqliteFile::State::connect(const std::string& name, bool may_change) {
  const std::string uri = "file:" + percent_encoded(name) + (may_change ? "?mode=rw" : "?mode=ro&immutable=1");
  const int flags = (may_change ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int outcome = ::sqlite3_open_v2(uri.c_str(), &connection, flags, nullptr);
  if (outcome != SQLITE_OK) return error(std::string("SQLite cannot open it: ") + ::sqlite3_errstr(outcome));
  return guard();
}

Status SqliteFile::State::guard() {
  ::sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  ::sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  ::sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  ::sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  ::sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  ::sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, kMaxSqliteValueBytes);
  ::sqlite3_progress_handler(connection, kOperationsPerLook, stop_when_asked, nullptr);
  if (const int code = SqliteRows::install(connection); code != SQLITE_OK)
    return error(std::string("SQLite cannot read it: ") + ::sqlite3_errstr(code));
  // Pages whose cells overlap or point outside are damage before they are used.
  if (::sqlite3_exec(connection, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr) != SQLITE_OK)
    return error(std::string("SQLite cannot read it: ") + ::sqlite3_errmsg(connection));
  return {};
}

Status SqliteFile::State::read_schema() {
  sqlite3_stmt* statement = nullptr;
  int code =
      ::sqlite3_prepare_v2(connection, "SELECT type, name, rootpage FROM sqlite_schema", -1, &statement, nullptr);
  const auto text = [&](int column) {
    const unsigned char* const value = ::sqlite3_column_text(statement, column);
    return value == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(value));
  };
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = ::sqlite3_step(statement);
    if (code != SQLITE_ROW) break;
    const std::string type = text(0);
    if (type != "table" && type != "view") continue;
    // Virtual tables are tables without pages: their rows come out of somebody's code.
    schema.push_back({text(1), type == "table" && ::sqlite3_column_int64(statement, 2) > 0});
    if (schema.back().is_table) tables.push_back(schema.back().name);
  }
  const std::string why = ::sqlite3_errmsg(connection);
  ::sqlite3_finalize(statement);
  if (code == SQLITE_DONE) return {};
  return Error{"the database is damaged: " + why, path, 0, "copy or export it again"};
}

Result<std::vector<std::string>> SqliteFile::State::columns_of(const std::string& table) const {
  std::vector<std::string> names;
  sqlite3_stmt* statement = nullptr;
  // table_info leaves out columns that are computed.
  const std::string sql = "PRAGMA table_info(" + quoted_name(table) + ")";
  int code = ::sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = ::sqlite3_step(statement);
    if (code != SQLITE_ROW) break;
    const unsigned char* const name = ::sqlite3_column_text(statement, 1);
    if (name != nullptr) names.emplace_back(reinterpret_cast<const char*>(name));
  }
  const std::string why = ::sqlite3_errmsg(connection);
  ::sqlite3_finalize(statement);
  if (code != SQLITE_DONE) return error("the columns of table " + table + " cannot be read: " + why);
  return names;
}

SqliteFile::SqliteFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
SqliteFile::SqliteFile(SqliteFile&&) noexcept = default;
SqliteFile& SqliteFile::operator=(SqliteFile&&) noexcept = default;
SqliteFile::~SqliteFile() = default;

Result<SqliteFile> SqliteFile::open(const std::string& path, const std::function<void(std::uint64_t)>& on_progress) {
  auto state = std::make_unique<State>();
  state->path = path;
  Compression compression = Compression::none;
  {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) return file.error();
    compression = detect_compression(file->bytes());
    state->content_bytes = state->file_bytes = file->bytes().size();
    if (compression == Compression::none && !begins_as_sqlite(file->bytes()))
      return Error{"this is no SQLite database", path, 0};
  }
  const std::optional<std::string> log = write_ahead_log_of(path);
  if (compression == Compression::none && !log && !is_descriptor(path)) {
    if (Status connected = state->connect(path, false); !connected) return connected.error();
  } else {
    Result<PrivateFolder> folder = PrivateFolder::make();
    if (!folder) return folder.error();
    state->folder.emplace(std::move(*folder));
    const bool has_log = log && compression == Compression::none;
    if (Status copied = state->folder->copy(path, "database", kMaxSqliteCopyBytes, on_progress); !copied)
      return copied.error();
    if (has_log) {
      // The log is no compressed file whatever it begins with.
      std::error_code failed;
      if (!fs::copy_file(*log, state->folder->path("database-wal"), failed))
        return Error{"its write-ahead log cannot be copied: " + failed.message(), path};
    }
    std::error_code failed;
    state->content_bytes = fs::file_size(state->folder->path("database"), failed);
    if (has_log) state->content_bytes += fs::file_size(state->folder->path("database-wal"), failed);
    if (Status connected = state->connect(state->folder->path("database"), has_log); !connected)
      return connected.error();
  }
  if (Status read = state->read_schema(); !read) return read.error();
  return SqliteFile(std::move(state));
}

const std::vector<std::string>& SqliteFile::tables() const { return state_->tables; }
std::uint64_t SqliteFile::file_bytes() const { return state_->file_bytes; }

bool SqliteFile::has_table(std::string_view name) const {
  return std::find(state_->tables.begin(), state_->tables.end(), name) != state_->tables.end();
}

bool SqliteFile::has_view(std::string_view name) const {
  return !has_table(name) && std::any_of(state_->schema.begin(), state_->schema.end(),
                                         [&](const State::SchemaEntry& entry) { return entry.name == name; });
}

Result<SqliteRows> SqliteFile::rows(std::string_view table, std::span<const std::string_view> columns) const {
  SqliteRows::Plan plan{.file = state_->path, .table = quoted_name(table)};
  if (!has_table(table)) {
    if (has_view(table))
      return Error{std::string(table) + " is a view here, not a table", state_->path, Error::kNoOffset,
                   "reading it would execute what somebody wrote into the file"};
    return SqliteRows(std::move(plan));
  }
  const Result<std::vector<std::string>> there = state_->columns_of(std::string(table));
  if (!there) return there.error();
  for (const std::string_view column : columns) {
    // SQLite's own rule: names are the same in any case.
    const bool is_there = std::any_of(there->begin(), there->end(), [&](const std::string& name) {
      return ::sqlite3_stricmp(name.c_str(), std::string(column).c_str()) == 0;
    });
    plan.columns.push_back(is_there ? quoted_name(column) : "NULL");
  }
  plan.connection = state_->connection;
  plan.most_rows = state_->content_bytes / kLeastRowBytes;
  sqlite3_stmt* probe = nullptr;
  const std::string sql = "SELECT rowid FROM " + plan.table;
  plan.has_rowid = ::sqlite3_prepare_v2(state_->connection, sql.c_str(), -1, &probe, nullptr) == SQLITE_OK;
  ::sqlite3_finalize(probe);
  return SqliteRows(std::move(plan));
}

}  // namespace orrery
