// Questions only: what a statement may do before it is run.
#pragma once

#include <sqlite3.h>

namespace orrery::query {

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

}  // namespace orrery::query
