#include <sqlite3.h>

#include <string_view>
#include <utility>

#include "base/interrupt.h"
#include "base/sqlite/sqlite_file.h"

// One statement walks over the whole table. A value that is too long ends a statement: that row is then read again
// without it, by its rowid, and another statement goes on behind it.

namespace orrery {
namespace {

constexpr int kFirstColumn = 1;  // column 0 is the rowid
constexpr std::string_view kAbsent = "NULL";

}  // namespace

SqliteRows::SqliteRows(Plan plan) : plan_(std::move(plan)), values_(plan_.columns.size()) {
  for (std::size_t i = 0; i < plan_.columns.size(); ++i) {
    if (plan_.columns[i] != kAbsent) present_.push_back(static_cast<int>(i));
  }
}

SqliteRows::SqliteRows(SqliteRows&& other) noexcept
    : plan_(std::move(other.plan_)),
      values_(std::move(other.values_)),
      present_(std::move(other.present_)),
      all_(std::exchange(other.all_, nullptr)),
      current_(std::exchange(other.current_, nullptr)),
      last_rowid_(other.last_rowid_),
      is_begun_(other.is_begun_),
      rows_(other.rows_),
      long_values_(other.long_values_),
      damage_(std::move(other.damage_)) {}

SqliteRows::~SqliteRows() {
  if (current_ != all_) ::sqlite3_finalize(current_);
  ::sqlite3_finalize(all_);
}

std::string SqliteRows::selection(const std::vector<std::string>& columns, const char* condition) const {
  std::string sql = plan_.has_rowid ? "SELECT rowid" : "SELECT NULL";
  for (const std::string& column : columns) sql += ", " + column;
  // An index may hold something else than the table it belongs to.
  return sql + " FROM " + plan_.table + " NOT INDEXED" + condition;
}

sqlite3_stmt* SqliteRows::prepare(const std::string& sql, std::int64_t parameter) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      ::sqlite3_prepare_v2(plan_.connection, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) {
    end_with(code);
    return nullptr;
  }
  if (::sqlite3_bind_parameter_count(statement) > 0) ::sqlite3_bind_int64(statement, 1, parameter);
  return statement;
}

bool SqliteRows::next() {
  // Statements are made when they are first needed: tables that nobody walks over cost nothing.
  if (damage_ || plan_.connection == nullptr) return false;
  if (!is_begun_) {
    is_begun_ = true;
    current_ = all_ = prepare(selection(plan_.columns, ""), 0);
  }
  if (all_ == nullptr) return false;
  if (current_ != all_) {
    ::sqlite3_finalize(current_);
    current_ = all_;
  }
  const int code = ::sqlite3_step(all_);
  if (code == SQLITE_TOOBIG) return step_over_long_values();
  if (code != SQLITE_ROW) return end_with(code);
  // Pages that lead back to one another make a table without an end.
  if (++rows_ > plan_.most_rows) return end_at("it has more rows than the file has room for");
  last_rowid_ = ::sqlite3_column_int64(all_, 0);
  take_values();
  return true;
}

bool SqliteRows::step_over_long_values() {
  if (!plan_.has_rowid) return end_with(SQLITE_TOOBIG);
  ::sqlite3_finalize(all_);
  const bool is_first = rows_ == 0;
  all_ = current_ = nullptr;
  sqlite3_stmt* const find =
      prepare("SELECT rowid FROM " + plan_.table + " NOT INDEXED" +
                  (is_first ? " ORDER BY rowid LIMIT 1" : " WHERE rowid > ?1 ORDER BY rowid LIMIT 1"),
              last_rowid_);
  if (find == nullptr) return false;
  const int found = ::sqlite3_step(find);
  const std::int64_t rowid = found == SQLITE_ROW ? ::sqlite3_column_int64(find, 0) : 0;
  ::sqlite3_finalize(find);
  if (found != SQLITE_ROW) return end_with(found == SQLITE_DONE ? SQLITE_CORRUPT : found);
  std::vector<std::string> kept = plan_.columns;
  for (std::string& column : kept) {
    sqlite3_stmt* const one = prepare(selection({column}, " WHERE rowid = ?1"), rowid);
    if (one == nullptr) return false;
    if (::sqlite3_step(one) == SQLITE_TOOBIG) column = "NULL", ++long_values_;
    ::sqlite3_finalize(one);
  }
  all_ = prepare(selection(plan_.columns, " WHERE rowid > ?1"), rowid);
  current_ = all_ == nullptr ? nullptr : prepare(selection(kept, " WHERE rowid = ?1"), rowid);
  if (current_ == nullptr) return false;
  const int code = ::sqlite3_step(current_);
  if (code != SQLITE_ROW) return end_with(code == SQLITE_DONE ? SQLITE_CORRUPT : code);
  last_rowid_ = rowid;
  if (++rows_ > plan_.most_rows) return end_at("it has more rows than the file has room for");
  take_values();
  return true;
}

bool SqliteRows::end_with(int code) {
  if (code == SQLITE_DONE) return false;
  if (code == SQLITE_INTERRUPT) stop_if_requested();
  return end_at(::sqlite3_errstr(code));
}

bool SqliteRows::end_at(const std::string& why) {
  damage_ = Error{"table " + plan_.table + " is damaged behind row " + std::to_string(rows_) + ": " + why,
                  plan_.file,
                  Error::kNoOffset,
                  "export it again if you can",
                  Error::Kind::unusable,
                  Remedy::salvage};
  return false;
}

void SqliteRows::take_values() {
  for (const int column : present_) {
    // One call that looks at the statement; the others look at the value alone.
    sqlite3_value* const value = ::sqlite3_column_value(current_, column + kFirstColumn);
    Value& taken = values_[static_cast<std::size_t>(column)];
    taken.is_integer = ::sqlite3_value_type(value) == SQLITE_INTEGER;
    if (taken.is_integer) taken.number = ::sqlite3_value_int64(value);
  }
}

std::string_view SqliteRows::bytes(int column) const {
  const int type = ::sqlite3_column_type(current_, column + kFirstColumn);
  if (type != SQLITE_TEXT && type != SQLITE_BLOB) return {};
  // As they are: a column that is declared TEXT may hold a BLOB, which a conversion to text would cut at its first 0.
  const void* const data = type == SQLITE_TEXT ? ::sqlite3_column_text(current_, column + kFirstColumn)
                                               : ::sqlite3_column_blob(current_, column + kFirstColumn);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data),
          static_cast<std::size_t>(::sqlite3_column_bytes(current_, column + kFirstColumn))};
}

}  // namespace orrery
