// SQLite databases that others wrote, read table by table. The content may mean harm: nothing in it is executed, and
// nothing is created or changed beside the file.
//
// Only base tables are read, whole, in the order of their rows, by columns of fixed names. A column that the table
// lacks is null in every row: what writers add and drop between versions needs no cases. Joins are the caller's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/sqlite/private_copy.h"

struct sqlite3;
struct sqlite3_context;
struct sqlite3_stmt;
struct sqlite3_value;

namespace orrery {

/// The largest value that is read, in bytes.
inline constexpr int kMaxSqliteValueBytes = 64 << 20;
/// The largest database that is inflated or copied aside.
inline constexpr std::uint64_t kMaxSqliteCopyBytes = std::uint64_t{16} << 30;

inline bool begins_as_sqlite(std::string_view bytes) {
  return bytes.starts_with(std::string_view("SQLite format 3\0", 16));
}

/// The rows of one table. For one thread; must not outlive its SqliteFile.
class SqliteRows {
 public:
  SqliteRows(SqliteRows&& other) noexcept;
  SqliteRows& operator=(SqliteRows&&) = delete;
  ~SqliteRows();

  /// The next row; false at the end, or at damage.
  bool next();

  /// Of the current row; columns by their places in the list that was asked for.
  [[nodiscard]] bool is_integer(int column) const { return value(column).kind == Value::Kind::integer; }
  /// Its value if it is an integer, else `missing`: texts and fractions are no numbers here.
  [[nodiscard]] std::int64_t integer(int column, std::int64_t missing) const {
    return is_integer(column) ? value(column).number : missing;
  }
  /// The bytes of a text or BLOB as they are, empty for anything else. Valid until the next row.
  [[nodiscard]] std::string_view bytes(int column) const {
    const Value& found = value(column);
    if (found.kind != Value::Kind::bytes) return {};
    return std::string_view(row_->bytes).substr(static_cast<std::size_t>(found.number), found.length);
  }

  [[nodiscard]] std::uint64_t rows() const { return rows_; }  ///< so far
  /// Values longer than kMaxSqliteValueBytes, which were null instead.
  [[nodiscard]] std::uint64_t long_values() const { return long_values_; }
  /// Why it ended before its end.
  [[nodiscard]] const std::optional<Error>& damage() const { return damage_; }

 private:
  friend class SqliteFile;
  struct Value {
    enum class Kind : std::uint8_t { other, integer, bytes };
    std::int64_t number = 0;  // the integer, or where the bytes begin
    std::size_t length = 0;   // of bytes
    Kind kind = Kind::other;
  };
  /// The current row. Statements do not return it but hand it to a function of ours: SQLite then gives all values in
  /// one call instead of looking at the statement once per value, a fifth of the time that a table takes.
  struct Row {
    std::vector<Value> values;  // as the columns
    std::string bytes;          // of all texts and BLOBs
    std::int64_t rowid = 0;
  };
  struct Plan {
    sqlite3* connection = nullptr;
    std::string file, table;
    std::vector<std::string> columns = {};  // as SQL, NULL where the table has none
    bool has_rowid = true;
    std::uint64_t most_rows = 0;
  };
  explicit SqliteRows(Plan plan);
  /// Makes the function known to a connection; a code of SQLite.
  static int install(sqlite3* connection);
  static void take_row(sqlite3_context* context, int count, sqlite3_value** arguments);
  [[nodiscard]] const Value& value(int column) const { return row_->values[static_cast<std::size_t>(column)]; }
  [[nodiscard]] std::string selection(const std::vector<std::string>& columns, const char* condition) const;
  sqlite3_stmt* prepare(const std::string& sql, std::int64_t parameter);
  bool step_over_long_values();
  bool end_with(int code);
  bool end_at(const std::string& why);

  Plan plan_;
  std::unique_ptr<Row> row_;     // statements have its address
  sqlite3_stmt* all_ = nullptr;  // the walk over the table
  bool is_begun_ = false;
  std::uint64_t rows_ = 0;
  std::uint64_t long_values_ = 0;
  std::optional<Error> damage_;
};

class SqliteFile {
 public:
  /// A file without a write-ahead log is opened as one that nobody changes. With one, both are copied to a temporary
  /// folder, so that what the log holds counts; what is compressed, or comes from standard input, is copied as well.
  static Result<SqliteFile> open(const std::string& path, const std::function<void(std::uint64_t)>& on_progress = {});
  SqliteFile(SqliteFile&&) noexcept;
  SqliteFile& operator=(SqliteFile&&) noexcept;
  ~SqliteFile();

  /// Names of base tables, in the order of the schema.
  [[nodiscard]] const std::vector<std::string>& tables() const;
  [[nodiscard]] bool has_table(std::string_view name) const;
  [[nodiscard]] bool has_view(std::string_view name) const;
  [[nodiscard]] std::uint64_t file_bytes() const;  ///< of the file as it is on disk

  /// All rows of `table`; none if there is no such table. An Error if it is a view or a virtual table, which would have
  /// to be executed.
  [[nodiscard]] Result<SqliteRows> rows(std::string_view table, std::span<const std::string_view> columns) const;

 private:
  struct State;
  explicit SqliteFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace orrery
