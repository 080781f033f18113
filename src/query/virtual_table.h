// A table that SQLite reads through us, row by row, without a copy: the bridge from its C interface
// (sqlite.org/vtab.html) to two classes.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "query/rows.h"

namespace orrery::query {

/// Goes over the rows that a plan leaves.
class Cursor {
 public:
  virtual ~Cursor() = default;
  /// Begins again. `plan`: what VirtualTable::plan said; `values`: of the constraints that it took, in its order.
  virtual Status start(const char* plan, std::span<sqlite3_value*> values) = 0;
  [[nodiscard]] virtual bool at_end() const = 0;
  virtual void next() = 0;
  [[nodiscard]] virtual Result<Value> column(std::size_t column) = 0;
  [[nodiscard]] virtual std::int64_t row_id() const = 0;
};

class VirtualTable {
 public:
  virtual ~VirtualTable() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  [[nodiscard]] virtual std::span<const TableColumn> columns() const = 0;
  /// Chooses a way to the rows, says what it costs and which constraints it uses (argvIndex), and returns it as a text
  /// for Cursor::start. SQLite tests every constraint again: a plan may leave more rows than asked for, never fewer.
  [[nodiscard]] virtual std::string plan(sqlite3_index_info& info) const = 0;
  [[nodiscard]] virtual std::unique_ptr<Cursor> open() const = 0;
};

/// What went wrong in a table, kept whole: SQLite passes on texts only, and no exception may pass through it.
struct Failure {
  std::optional<Error> error;
  std::exception_ptr thrown;

  void clear() { *this = {}; }
  /// Once SQLite has returned. Throws what was thrown.
  void rethrow() const {
    if (thrown) std::rethrow_exception(thrown);
  }
};

/// Makes `table` known to the connection under its name. Both must outlive it.
Status add_table(sqlite3* connection, const VirtualTable& table, Failure& failure);

/// "CREATE TABLE name(id INTEGER, ...)".
std::string declaration(const VirtualTable& table);

/// Rows as they are. Those whose columns of integers have values that a question asks for (=) are looked up in an order
/// by these columns, which is made when it is first needed; else all of them.
class RowsTable : public VirtualTable {
 public:
  explicit RowsTable(Table table) : table_(std::move(table)) {}
  [[nodiscard]] const std::string& name() const override { return table_.name; }
  [[nodiscard]] std::span<const TableColumn> columns() const override { return table_.columns; }
  [[nodiscard]] std::string plan(sqlite3_index_info& info) const override;
  [[nodiscard]] std::unique_ptr<Cursor> open() const override;

 private:
  friend class RowsCursor;
  /// Numbers of rows by the values of some columns, then by number; without those that have no integer there.
  [[nodiscard]] const std::vector<std::uint32_t>& order_by(const std::string& columns, const Rows& rows) const;

  Table table_;
  mutable std::map<std::pair<const Rows*, std::string>, std::vector<std::uint32_t>>
      orders_;  // by rows and columns, as a plan has them
};

}  // namespace orrery::query
