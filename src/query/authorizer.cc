#include "query/authorizer.h"

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

}  // namespace orrery::query
