#include "query/connection.h"

namespace orrery::query {

Authorizer::Authorizer(sqlite3* connection) : connection_(connection) {
  ::sqlite3_set_authorizer(connection, decide, this);
}
Authorizer::~Authorizer() { ::sqlite3_set_authorizer(connection_, nullptr, nullptr); }

int Authorizer::decide(void* self, int action, const char*, const char* function, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE: return SQLITE_OK;
    case SQLITE_FUNCTION:
      // Off by default, and so is what it could do; but nobody has to know that to be sure.
      if (function == nullptr || ::sqlite3_stricmp(function, "load_extension") != 0) return SQLITE_OK;
      break;
    default: break;
  }
  static_cast<Authorizer*>(self)->has_refused_ = true;
  return SQLITE_DENY;
}

Result<Connection> open_connection(const std::string& path) {
  sqlite3* opened = nullptr;
  const int outcome = ::sqlite3_open_v2(path.c_str(), &opened,
                                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  Connection connection(opened);
  if (outcome != SQLITE_OK) return Error{std::string("SQLite cannot open it: ") + ::sqlite3_errstr(outcome), path};
  return connection;
}

Status execute(sqlite3* connection, const std::string& sql) {
  if (::sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return Error{std::string("SQLite: ") + ::sqlite3_errmsg(connection)};
}

Result<Statement> prepare(sqlite3* connection, const std::string& sql) {
  sqlite3_stmt* prepared = nullptr;
  if (::sqlite3_prepare_v2(connection, sql.c_str(), static_cast<int>(sql.size()), &prepared, nullptr) != SQLITE_OK)
    return Error{std::string("SQLite: ") + ::sqlite3_errmsg(connection)};
  return Statement(prepared);
}

}  // namespace orrery::query
