// A trace that can be asked in SQL (docs/SQL.md).
//
//     Result<Database> database = Database::open({.trace = trace, .remarks = diagnostics});
//     Result<Answer> answer = database->ask("SELECT name, sum(dur_ps) FROM events GROUP BY name");
//
// Nothing is copied and nothing is made before a question needs it: the graph when a question is about the path, an
// index when it looks for a name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/answer.h"
#include "query/recording.h"

namespace orrery::query {

/// One thread at a time. What the recording refers to must outlive it.
class Database {
 public:
  static Result<Database> open(const Recording& recording);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  /// Asked every few thousand steps of a question, beside stop_if_requested() (base/interrupt.h), whose Stopped is
  /// passed on; a question for which it returns true ends with an Error. Empty: nobody is asked.
  void stop_if(std::function<bool()> should_stop);

  /// One SELECT, WITH or EXPLAIN. An Error of kind misuse is a mistake in `sql`, at byte `offset`; any other is about
  /// the trace.
  Result<Answer> ask(std::string_view sql);

  /// Whether the question is one, without answering it: of a database over an empty trace as good as of any.
  Status check(std::string_view sql);

  /// All tables and views as an SQLite file, with indexes; complete or absent. A table that cannot be made (there is no
  /// step to find a path in) is empty there and remarked.
  Status write(const std::string& path);

  /// In the order of docs/SQL.md.
  [[nodiscard]] std::vector<std::string> table_names() const;
  [[nodiscard]] std::vector<std::string> column_names(std::string_view table) const;

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace orrery::query
