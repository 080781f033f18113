// Small databases for tests, written by SQL.
#pragma once

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <string>

namespace orrery::testing {

/// Executes `sql` on the database at `path`, which is made if it is not there.
inline void write_database(const std::string& path, const std::string& sql) {
  sqlite3* connection = nullptr;
  REQUIRE(::sqlite3_open(path.c_str(), &connection) == SQLITE_OK);
  char* message = nullptr;
  const int outcome = ::sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, &message);
  const std::string why = message == nullptr ? "" : message;
  ::sqlite3_free(message);
  ::sqlite3_close(connection);
  INFO(why);
  REQUIRE(outcome == SQLITE_OK);
}

}  // namespace orrery::testing
