#include "query/virtual_table.h"

#include <algorithm>
#include <new>

// Functions in C between SQLite and two classes: none of them lets an exception through, and errors wait in a Failure
// for whoever runs the statement. RowsTable finds equal integers by an order of the rows that is made when a question
// first needs it.

namespace orrery::query {
namespace {

/// What the module hands to its tables.
struct ModuleData {
  const VirtualTable& table;
  Failure& failure;
};

// SQLite's structures come first in ours, and it sees those only.

struct OpenTable {
  sqlite3_vtab base;
  ModuleData* data;
};

struct OpenCursor {
  sqlite3_vtab_cursor base;
  std::unique_ptr<Cursor> rows;
};

const ModuleData& data_of(sqlite3_vtab* table) { return *reinterpret_cast<OpenTable*>(table)->data; }
Cursor& rows_of(sqlite3_vtab_cursor* cursor) { return *reinterpret_cast<OpenCursor*>(cursor)->rows; }

int fail(sqlite3_vtab* table, const Error& error) {
  data_of(table).failure.error = error;
  ::sqlite3_free(table->zErrMsg);
  table->zErrMsg = ::sqlite3_mprintf("%s", error.message.c_str());
  return SQLITE_ERROR;
}

/// Runs `work`, which returns what SQLite is told; what it throws is kept for whoever asked.
template <typename Work>
int guarded(Failure& failure, const Work& work) noexcept {
  try {
    return work();
  } catch (...) {
    failure.thrown = std::current_exception();
    return SQLITE_ERROR;
  }
}

int connect(sqlite3* connection, void* data, int, const char* const*, sqlite3_vtab** table, char**) {
  auto* const module = static_cast<ModuleData*>(data);
  return guarded(module->failure, [&] {
    if (const int outcome = ::sqlite3_declare_vtab(connection, declaration(module->table).c_str());
        outcome != SQLITE_OK)
      return outcome;
    // The table has no effects besides reading, so that views and triggers may use it as well.
    ::sqlite3_vtab_config(connection, SQLITE_VTAB_INNOCUOUS);
    *table = &(new OpenTable{{}, module})->base;
    return SQLITE_OK;
  });
}

int disconnect(sqlite3_vtab* table) {
  delete reinterpret_cast<OpenTable*>(table);
  return SQLITE_OK;
}

int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  return guarded(data_of(table).failure, [&] {
    const std::string plan = data_of(table).table.plan(*info);
    info->idxStr = ::sqlite3_mprintf("%s", plan.c_str());
    // SQLite frees the text, since SQLite's allocator made it.
    info->needToFreeIdxStr = 1;
    return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
  });
}

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  return guarded(data_of(table).failure, [&] {
    *cursor = &(new OpenCursor{{}, data_of(table).table.open()})->base;
    return SQLITE_OK;
  });
}

int close(sqlite3_vtab_cursor* cursor) {
  delete reinterpret_cast<OpenCursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* cursor, int, const char* plan, int count, sqlite3_value** values) {
  return guarded(data_of(cursor->pVtab).failure, [&] {
    const Status started = rows_of(cursor).start(plan, std::span(values, static_cast<std::size_t>(count)));
    return started ? SQLITE_OK : fail(cursor->pVtab, started.error());
  });
}

int next(sqlite3_vtab_cursor* cursor) {
  rows_of(cursor).next();
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* cursor) { return rows_of(cursor).at_end() ? 1 : 0; }

void give(sqlite3_context* context, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return ::sqlite3_result_int64(context, *integer);
  if (const auto* real = std::get_if<double>(&value)) return ::sqlite3_result_double(context, *real);
  // Static: it lies in the trace, which outlives the connection.
  if (const auto* text = std::get_if<std::string_view>(&value))
    return ::sqlite3_result_text64(context, text->data(), text->size(), SQLITE_STATIC, SQLITE_UTF8);
  ::sqlite3_result_null(context);
}

int column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int number) {
  Failure& failure = data_of(cursor->pVtab).failure;
  return guarded(failure, [&] {
    const Result<Value> value = rows_of(cursor).column(static_cast<std::size_t>(number));
    if (value) return give(context, *value), SQLITE_OK;
    failure.error = value.error();
    ::sqlite3_result_error(context, value.error().message.c_str(), -1);
    return SQLITE_ERROR;
  });
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = rows_of(cursor).row_id();
  return SQLITE_OK;
}

sqlite3_module make_module() {
  sqlite3_module module{};
  module.xCreate = nullptr;  // there under its name, without being created
  module.xConnect = connect;
  module.xDisconnect = disconnect;
  module.xBestIndex = best_index;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = at_end;
  module.xColumn = column;
  module.xRowid = row_id;
  return module;
}

constexpr char kFirstColumnOfRows = '0';  // columns of a plan as printable characters

std::int64_t integer_at(const Rows& rows, std::uint32_t row, char column) {
  return std::get<std::int64_t>(rows.at(row, static_cast<std::size_t>(column - kFirstColumnOfRows)));
}

}  // namespace

std::string declaration(const VirtualTable& table) {
  std::string text = "CREATE TABLE " + table.name() + "(";
  for (const TableColumn& column : table.columns()) {
    if (text.back() != '(') text += ", ";
    text += "\"" + column.name + "\"" + (column.type.empty() ? "" : " ") + std::string(column.type);
  }
  return text + ")";
}

Status add_table(sqlite3* connection, const VirtualTable& table, Failure& failure) {
  static const sqlite3_module kModule = make_module();
  auto* const data = new ModuleData{table, failure};
  const auto drop = [](void* module) { delete static_cast<ModuleData*>(module); };
  if (::sqlite3_create_module_v2(connection, table.name().c_str(), &kModule, data, drop) == SQLITE_OK) return {};
  return Error{"SQLite does not take the table " + table.name() + ": " + ::sqlite3_errmsg(connection)};
}

class RowsCursor : public Cursor {
 public:
  explicit RowsCursor(const RowsTable& table) : table_(table) {}

  Status start(const char* plan, std::span<sqlite3_value*> values) override {
    const Result<const Rows*> rows = table_.table_.rows();
    if (!rows) return rows.error();
    rows_ = *rows;
    found_.reset();
    next_ = 0;
    std::vector<std::int64_t> wanted;
    for (sqlite3_value* const value : values) {
      // Where SQLite's rules for comparing values of different types are at work, it looks at all.
      if (::sqlite3_value_type(value) != SQLITE_INTEGER) return {};
      wanted.push_back(::sqlite3_value_int64(value));
    }
    if (!wanted.empty()) find(plan, wanted);
    return {};
  }
  [[nodiscard]] bool at_end() const override { return next_ >= (found_ ? found_->size() : rows_->size()); }
  void next() override { ++next_; }
  [[nodiscard]] Result<Value> column(std::size_t column) override { return rows_->at(row(), column); }
  [[nodiscard]] std::int64_t row_id() const override { return static_cast<std::int64_t>(row()); }

 private:
  [[nodiscard]] std::size_t row() const { return found_ ? (*found_)[next_] : next_; }

  void find(const std::string& columns, const std::vector<std::int64_t>& wanted) {
    const std::vector<std::uint32_t>& numbers = table_.order_by(columns, *rows_);
    // Below 0: the row comes before those that are wanted.
    const auto compare = [&](std::uint32_t row) {
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::int64_t value = integer_at(*rows_, row, columns[c]);
        if (value != wanted[c]) return value < wanted[c] ? -1 : 1;
      }
      return 0;
    };
    const auto first =
        std::partition_point(numbers.begin(), numbers.end(), [&](std::uint32_t row) { return compare(row) < 0; });
    const auto end = std::partition_point(first, numbers.end(), [&](std::uint32_t row) { return compare(row) == 0; });
    found_ = std::span(first, end);
  }

  const RowsTable& table_;
  const Rows* rows_ = nullptr;
  std::optional<std::span<const std::uint32_t>> found_;  // none: all
  std::size_t next_ = 0;
};

const std::vector<std::uint32_t>& RowsTable::order_by(const std::string& columns, const Rows& rows) const {
  const auto [at, is_new] = orders_.try_emplace({&rows, columns});
  std::vector<std::uint32_t>& numbers = at->second;
  if (!is_new) return numbers;
  for (std::uint32_t row = 0; row < rows.size(); ++row) {
    const bool has_all = std::all_of(columns.begin(), columns.end(), [&](char column) {
      return std::holds_alternative<std::int64_t>(rows.at(row, static_cast<std::size_t>(column - kFirstColumnOfRows)));
    });
    // A row without an integer there equals none.
    if (has_all) numbers.push_back(row);
  }
  // Stable, so that rows of equal values stay in the table's order.
  std::stable_sort(numbers.begin(), numbers.end(), [&](std::uint32_t a, std::uint32_t b) {
    for (const char column : columns) {
      const std::int64_t x = integer_at(rows, a, column), y = integer_at(rows, b, column);
      if (x != y) return x < y;
    }
    return false;
  });
  return numbers;
}

std::string RowsTable::plan(sqlite3_index_info& info) const {
  // How many there are is known only once they were made, which a plan must not cause; most such tables are small.
  info.estimatedCost = 1000;
  info.estimatedRows = 1000;
  std::string columns;
  for (int i = 0; i < info.nConstraint; ++i) {
    const auto& constraint = info.aConstraint[i];
    if (constraint.usable == 0 || constraint.iColumn < 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    // A column whose type depends on the row may hold 5 and '5', which a question can compare in more than one way.
    if (table_.columns[static_cast<std::size_t>(constraint.iColumn)].type != "INTEGER") continue;
    columns += static_cast<char>(kFirstColumnOfRows + constraint.iColumn);
    info.aConstraintUsage[i].argvIndex = static_cast<int>(columns.size());
    info.estimatedRows = columns.size() == 1 ? 10 : 1;
    info.estimatedCost = static_cast<double>(info.estimatedRows) + 1;
  }
  return columns;
}

std::unique_ptr<Cursor> RowsTable::open() const { return std::make_unique<RowsCursor>(*this); }

}  // namespace orrery::query
