#include <sqlite3.h>

#include <string_view>
#include <utility>

#include "base/interrupt.h"
#include "base/sqlite/sqlite_file.h"

// One statement walks over the whole table. A value that is too long ends a statement: that row is then read again
// without it, by its rowid, and another statement goes on behind it.

namespace orrery {
namespace {

constexpr const char* kFunction = "orrery_row";
constexpr const char* kRowPointer = "orrery row";
constexpr int kFirstColumn = 2;  // before it the row to fill, and the rowid

}  // namespace

SqliteRows::SqliteRows(Plan plan) : plan_(std::move(plan)), row_(std::make_unique<Row>()) {
  row_->values.resize(plan_.columns.size());
}

SqliteRows::SqliteRows(SqliteRows&& other) noexcept
    : plan_(std::move(other.plan_)),
      row_(std::move(other.row_)),
      all_(std::exchange(other.all_, nullptr)),
      is_begun_(other.is_begun_),
      rows_(other.rows_),
      long_values_(other.long_values_),
      damage_(std::move(other.damage_)) {}

SqliteRows::~SqliteRows() { ::sqlite3_finalize(all_); }

int SqliteRows::install(sqlite3* connection) {
  // Nothing in a file may call it.
  return ::sqlite3_create_function_v2(connection, kFunction, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, nullptr, take_row,
                                      nullptr, nullptr, nullptr);
}

void SqliteRows::take_row(sqlite3_context*, int count, sqlite3_value** arguments) {
  auto* const row = static_cast<Row*>(::sqlite3_value_pointer(arguments[0], kRowPointer));
  row->rowid = ::sqlite3_value_int64(arguments[1]);
  row->bytes.clear();
  for (int i = kFirstColumn; i < count; ++i) {
    Value& taken = row->values[static_cast<std::size_t>(i - kFirstColumn)];
    const int type = ::sqlite3_value_type(arguments[i]);
    if (type == SQLITE_INTEGER) {
      taken.kind = Value::Kind::integer;
      taken.number = ::sqlite3_value_int64(arguments[i]);
      continue;
    }
    taken.kind = Value::Kind::other;
    if (type != SQLITE_TEXT && type != SQLITE_BLOB) continue;
    // As they are: a column that is declared TEXT may hold a BLOB, which a conversion to text would cut at its first 0.
    const void* const data =
        type == SQLITE_TEXT ? ::sqlite3_value_text(arguments[i]) : ::sqlite3_value_blob(arguments[i]);
    if (data == nullptr) continue;
    taken.kind = Value::Kind::bytes;
    taken.number = static_cast<std::int64_t>(row->bytes.size());
    taken.length = static_cast<std::size_t>(::sqlite3_value_bytes(arguments[i]));
    row->bytes.append(static_cast<const char*>(data), taken.length);
  }
}

std::string SqliteRows::selection(const std::vector<std::string>& columns, const char* condition) const {
  std::string sql = std::string("SELECT ") + kFunction + "(?2, " + (plan_.has_rowid ? "rowid" : "NULL");
  for (const std::string& column : columns) sql += ", " + column;
  // An index may hold something else than the table it belongs to.
  return sql + ") FROM " + plan_.table + " NOT INDEXED" + condition;
}

sqlite3_stmt* SqliteRows::prepare(const std::string& sql, std::int64_t parameter) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      ::sqlite3_prepare_v2(plan_.connection, sql.c_str(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) {
    end_with(code);
    return nullptr;
  }
  // As many as the statement has.
  ::sqlite3_bind_int64(statement, 1, parameter);
  ::sqlite3_bind_pointer(statement, 2, row_.get(), kRowPointer, nullptr);
  return statement;
}

bool SqliteRows::next() {
  // Statements are made when they are first needed: tables that nobody walks over cost nothing.
  if (damage_ || plan_.connection == nullptr) return false;
  if (!is_begun_) {
    is_begun_ = true;
    all_ = prepare(selection(plan_.columns, ""), 0);
  }
  if (all_ == nullptr) return false;
  const int code = ::sqlite3_step(all_);
  if (code == SQLITE_TOOBIG) return step_over_long_values();
  if (code != SQLITE_ROW) return end_with(code);
  // Pages that lead back to one another make a table without an end.
  if (++rows_ > plan_.most_rows) return end_at("it has more rows than the file has room for");
  return true;
}

bool SqliteRows::step_over_long_values() {
  if (!plan_.has_rowid) return end_with(SQLITE_TOOBIG);
  ::sqlite3_finalize(std::exchange(all_, nullptr));
  const bool is_first = rows_ == 0;
  sqlite3_stmt* const find =
      prepare("SELECT rowid FROM " + plan_.table + " NOT INDEXED" +
                  (is_first ? " ORDER BY rowid LIMIT 1" : " WHERE rowid > ?1 ORDER BY rowid LIMIT 1"),
              row_->rowid);
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
  sqlite3_stmt* const short_row = prepare(selection(kept, " WHERE rowid = ?1"), rowid);
  if (short_row == nullptr) return false;
  const int code = ::sqlite3_step(short_row);
  ::sqlite3_finalize(short_row);
  if (code != SQLITE_ROW) return end_with(code == SQLITE_DONE ? SQLITE_CORRUPT : code);
  if (++rows_ > plan_.most_rows) return end_at("it has more rows than the file has room for");
  all_ = prepare(selection(plan_.columns, " WHERE rowid > ?1"), rowid);
  return all_ != nullptr;
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

}  // namespace orrery
