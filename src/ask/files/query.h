// Any question, in SQL (docs/SQL.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ask/graphs/causal_source.h"

namespace orrery::ask {

struct QueryRequest {
  GraphRequest graph = {};
  std::string sql = {};                      ///< may be empty with `db`
  std::optional<std::string> db = {};        ///< all tables as an SQLite file
  bool all_args = false;                     ///< every argument that the files have, not only those that analyses use
  std::optional<std::string> device = {};    ///< its name or file; none: what the recording says of its devices
  std::vector<std::string> provenance = {};  ///< files of the compiler; none: those beside the recordings, if any
};
template <typename Visitor>
void fields(QueryRequest& request, Visitor&& visit) {
  fields(request.graph, visit);
  visit("db", request.db);
  visit("all-args", request.all_args);
  visit("device", request.device);
  visit("provenance", request.provenance);
}

/// A mistake in the question is a misuse at its `offset` in `sql`.
Result<report::Answer> run(const QueryRequest& request, Context& context);

}  // namespace orrery::ask
