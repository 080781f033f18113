#include "query/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/interrupt.h"
#include "base/suggest.h"
#include "query/argument_table.h"
#include "query/collectives_table.h"
#include "query/connection.h"
#include "query/database_file.h"
#include "query/event_table.h"
#include "query/functions.h"
#include "query/path_tables.h"
#include "query/recording.h"
#include "query/trace_tables.h"
#include "query/works_table.h"

// Tables are virtual: each is announced to SQLite with its columns, views are made on top, and then a guard
// (Authorizer) lets nothing but questions through. A question is prepared, checked to be one and only one, and read row
// by row.

namespace orrery::query {
namespace {

/// Steps of SQLite's machine between two looks at whether to stop: some ten microseconds.
constexpr int kStepsBetweenLooks = 4096;
/// No text of a trace is as long; what a question makes up must not take all memory.
constexpr int kLongestValueBytes = 256 << 20;

/// What begins like this is a statement that is no question, and is called so before SQLite finds something else wrong
/// with it.
bool changes_something(std::string_view sql) {
  const std::size_t begin = sql.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  std::string word;
  for (const char c : sql.substr(begin)) {
    if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z')) break;
    word += static_cast<char>(c | 0x20);
  }
  static constexpr std::array kOthers = {"insert", "update", "delete",   "replace",   "create",  "drop",    "alter",
                                         "attach", "detach", "pragma",   "vacuum",    "analyze", "reindex", "begin",
                                         "commit", "end",    "rollback", "savepoint", "release"};
  return std::find(kOthers.begin(), kOthers.end(), word) != kOthers.end();
}

/// Where "no such table: evnts" has its name, which SQLite does not say; kNoOffset if it is no such message.
std::uint64_t place_of_name(std::string_view message, std::string_view sql) {
  const std::size_t colon = message.rfind(": ");
  const std::size_t at = colon == std::string_view::npos ? colon : sql.find(message.substr(colon + 2));
  return at == std::string_view::npos ? Error::kNoOffset : at;
}

}  // namespace

struct Database::State {
  Recording recording;
  EventNumbers numbers;
  Steps steps;
  Analyses analyses;
  std::vector<std::unique_ptr<VirtualTable>> tables;
  Failure failure;
  std::function<bool()> should_stop;
  Connection connection;  // goes before what its tables refer to
  std::unique_ptr<Authorizer> authorizer;

  explicit State(const Recording& of)
      : recording(of), numbers(recording.trace), steps(recording), analyses(recording, numbers) {}

  void make_tables() {
    const auto add = [&](Table table) { tables.push_back(std::make_unique<RowsTable>(std::move(table))); };
    tables.push_back(std::make_unique<EventTable>(recording, numbers, steps, analyses));
    tables.push_back(std::make_unique<ArgumentTable>(recording, numbers));
    add(ranks_table(recording));
    add(lanes_table(recording));
    add(steps_table(recording, steps));
    add(edges_table(analyses));
    add(path_table(recording, analyses));
    add(contributors_table(recording, analyses));
    add(collectives_table(recording, numbers));
    add(works_table(recording, numbers));
    add(waits_table(recording, analyses));
    add(clocks_table(recording));
    add(counters_table(recording));
    add(diagnostics_table(recording));
    add(process_table(recording));
  }

  Status connect() {
    Result<Connection> opened = open_connection(":memory:");
    if (!opened) return opened.error();
    connection = std::move(*opened);
    for (const auto& table : tables) {
      if (const Status added = add_table(connection.get(), *table, failure); !added) return added;
      // A table declares its columns when it is first named, by a CREATE TABLE that the authorizer would refuse later.
      if (const Result<Statement> named = prepare(connection.get(), "SELECT 1 FROM " + table->name()); !named)
        return named.error();
    }
    // So do SQLite's own tables that are functions.
    for (const char* const table : {"json_each", "json_tree"}) {
      if (const Result<Statement> named = prepare(connection.get(), fmt::format("SELECT 1 FROM {}('[]')", table));
          !named)
        return named.error();
    }
    if (const Status added = add_functions(connection.get()); !added) return added;
    for (const View& view : kViews) {
      const std::string sql = fmt::format("CREATE VIEW {} AS {}", view.name, view.select);
      if (const Status made = execute(connection.get(), sql); !made) return made;
    }
    ::sqlite3_limit(connection.get(), SQLITE_LIMIT_LENGTH, kLongestValueBytes);
    ::sqlite3_limit(connection.get(), SQLITE_LIMIT_ATTACHED, 0);
    ::sqlite3_db_config(connection.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    ::sqlite3_progress_handler(connection.get(), kStepsBetweenLooks, look, this);
    authorizer = std::make_unique<Authorizer>(connection.get());
    return {};
  }

  [[nodiscard]] Error mistake(std::string message, std::uint64_t offset, std::string hint = {}) const {
    return {std::move(message), {}, offset, std::move(hint), Error::Kind::misuse};
  }

  /// "no such table: evnts" with the name that was meant.
  [[nodiscard]] std::string hint_for(std::string_view message) const {
    const auto after = [&](std::string_view words) {
      const std::size_t at = message.find(words);
      std::string_view rest = at == std::string_view::npos ? std::string_view() : message.substr(at + words.size());
      // e.nmae: the table is not what is wrong.
      return rest.substr(rest.rfind('.') + 1);
    };
    std::vector<std::string_view> names;
    for (const auto& table : tables) {
      if (message.find("no such column") == std::string_view::npos) names.push_back(table->name());
      else
        std::transform(table->columns().begin(), table->columns().end(), std::back_inserter(names),
                       [](const TableColumn& c) { return std::string_view(c.name); });
    }
    if (const std::string_view table = after("no such table: "); !table.empty()) {
      for (const View& view : kViews) names.push_back(view.name);
      const std::string_view nearest = nearest_word(table, names);
      if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
      return fmt::format("tables: {}", fmt::join(names, ", "));
    }
    if (const std::string_view column = after("no such column: "); !column.empty()) {
      const std::string_view nearest = nearest_word(column, names);
      if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
      return "texts stand in 'single quotes'; the columns of all tables are in docs/SQL.md";
    }
    return {};
  }

  Result<Statement> prepare_question(std::string_view sql) {
    authorizer->begin();
    failure.clear();
    sqlite3_stmt* prepared = nullptr;
    const char* rest = nullptr;
    const int outcome =
        ::sqlite3_prepare_v2(connection.get(), sql.data(), static_cast<int>(sql.size()), &prepared, &rest);
    Statement statement(prepared);
    constexpr const char* kOnlyQuestions = "only questions are answered: SELECT, WITH, VALUES and EXPLAIN of them";
    constexpr const char* kNothingChanges =
        "a trace cannot be changed; write it as a database of your own to go on there";
    if (outcome != SQLITE_OK) {
      if (authorizer->has_refused() || changes_something(sql)) return mistake(kOnlyQuestions, 0, kNothingChanges);
      const std::string message = ::sqlite3_errmsg(connection.get());
      const int at = ::sqlite3_error_offset(connection.get());
      return mistake(message, at < 0 ? place_of_name(message, sql) : static_cast<std::uint64_t>(at), hint_for(message));
    }
    if (statement == nullptr)
      return mistake("there is no question", 0, "like SELECT name, sum(dur_ps) FROM events GROUP BY name");
    // VACUUM and its like are not asked about.
    if (::sqlite3_stmt_readonly(statement.get()) == 0 || ::sqlite3_column_count(statement.get()) == 0)
      return mistake(kOnlyQuestions, 0, kNothingChanges);
    if (::sqlite3_bind_parameter_count(statement.get()) != 0)
      return mistake("a question with parameters (?, :name) has nobody to fill them", Error::kNoOffset,
                     "write the values themselves");
    const auto tail = static_cast<std::size_t>(rest - sql.data());
    sqlite3_stmt* second = nullptr;
    // Whatever SQLite still finds in the rest is a second statement.
    const bool is_all = ::sqlite3_prepare_v2(connection.get(), rest, static_cast<int>(sql.size() - tail), &second,
                                             nullptr) == SQLITE_OK &&
                        second == nullptr;
    ::sqlite3_finalize(second);
    if (!is_all) return mistake("one question at a time", tail, "ask the second in a run of its own");
    return statement;
  }

  Result<Answer> read(sqlite3_stmt* statement) {
    std::vector<std::string> columns;
    const int count = ::sqlite3_column_count(statement);
    columns.reserve(static_cast<std::size_t>(count));
    for (int c = 0; c < count; ++c) columns.emplace_back(::sqlite3_column_name(statement, c));
    Answer answer(std::move(columns));
    int outcome = 0;
    while ((outcome = ::sqlite3_step(statement)) == SQLITE_ROW) {
      for (int c = 0; c < count; ++c) answer.push(value(statement, c));
    }
    if (outcome == SQLITE_DONE) return answer;
    failure.rethrow();
    if (outcome == SQLITE_INTERRUPT)
      return mistake("the question was stopped before it was answered", Error::kNoOffset);
    if (failure.error) return *failure.error;
    return mistake(::sqlite3_errmsg(connection.get()), Error::kNoOffset);
  }

  static Value value(sqlite3_stmt* statement, int column) {
    switch (::sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER: return std::int64_t{::sqlite3_column_int64(statement, column)};
      case SQLITE_FLOAT: return ::sqlite3_column_double(statement, column);
      case SQLITE_NULL: return {};
      default: {
        // Bytes (a BLOB) are shown as the text that they are.
        const auto* const bytes = static_cast<const char*>(::sqlite3_column_blob(statement, column));
        return std::string_view(bytes == nullptr ? "" : bytes,
                                static_cast<std::size_t>(::sqlite3_column_bytes(statement, column)));
      }
    }
  }

  /// Whether to end. SQLite then returns, and what was thrown here goes on.
  static int look(void* self) noexcept {
    auto& state = *static_cast<State*>(self);
    try {
      stop_if_requested();
      return state.should_stop && state.should_stop() ? 1 : 0;
    } catch (...) {
      state.failure.thrown = std::current_exception();
      return 1;
    }
  }
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const Recording& recording) {
  auto state = std::make_unique<State>(recording);
  state->make_tables();
  if (const Status connected = state->connect(); !connected) return connected.error();
  return Database(std::move(state));
}

void Database::stop_if(std::function<bool()> should_stop) { state_->should_stop = std::move(should_stop); }

Result<Answer> Database::ask(std::string_view sql) {
  const Result<Statement> statement = state_->prepare_question(sql);
  if (!statement) return statement.error();
  return state_->read(statement->get());
}

Status Database::check(std::string_view sql) {
  const Result<Statement> statement = state_->prepare_question(sql);
  return statement ? Status() : Status(statement.error());
}

Status Database::write(const std::string& path) {
  std::vector<const VirtualTable*> tables;
  for (const auto& table : state_->tables) tables.push_back(table.get());
  return write_database(state_->connection.get(), tables, state_->failure, path, state_->recording.remarks);
}

std::vector<std::string> Database::table_names() const {
  std::vector<std::string> names;
  for (const auto& table : state_->tables) names.push_back(table->name());
  for (const View& view : kViews) names.emplace_back(view.name);
  return names;
}

std::vector<std::string> Database::column_names(std::string_view table) const {
  std::vector<std::string> names;
  for (const auto& known : state_->tables) {
    if (known->name() != table) continue;
    for (const TableColumn& column : known->columns()) names.push_back(column.name);
  }
  return names;
}

}  // namespace orrery::query
