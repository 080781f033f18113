// An open SQLite database and what is asked of it, closed and finished by whoever drops them.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "base/result.h"

namespace orrery::query {

// Questions only: what a statement may do before it is run.

/// From its construction on, the connection prepares what reads and nothing else: SELECT, WITH (RECURSIVE), VALUES, and
/// EXPLAIN of them. Must not outlive the connection.
class Authorizer {
 public:
  explicit Authorizer(sqlite3* connection);
  Authorizer(const Authorizer&) = delete;
  Authorizer& operator=(const Authorizer&) = delete;
  ~Authorizer();

  /// Forgets what was refused.
  void begin() { has_refused_ = false; }
  /// Whether a statement was refused since.
  [[nodiscard]] bool has_refused() const { return has_refused_; }

 private:
  static int decide(void* self, int action, const char*, const char* function, const char*, const char*);

  sqlite3* connection_;
  bool has_refused_ = false;
};

struct CloseConnection {
  void operator()(sqlite3* connection) const { ::sqlite3_close_v2(connection); }
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

struct FinishStatement {
  void operator()(sqlite3_stmt* statement) const { ::sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinishStatement>;

/// ":memory:" or a file that is made if it is not there. For one thread at a time.
Result<Connection> open_connection(const std::string& path);

/// For statements of our own: they must be right.
Status execute(sqlite3* connection, const std::string& sql);
Result<Statement> prepare(sqlite3* connection, const std::string& sql);

}  // namespace orrery::query
