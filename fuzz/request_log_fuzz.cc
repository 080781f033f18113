// Feeds arbitrary bytes to the reader of logs of requests. What is accepted keeps its promises: parts lie in their
// request, times within bounds, arguments of events that are there.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/io/csv.h"
#include "formats/request_log/request_table.h"
#include "formats/request_log/request_trace.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  static_cast<void>(request_log::is_request_log(bytes));
  const auto table = parse_csv(bytes, "fuzz.csv");
  if (!table) return 0;
  // The same table beside itself has all that it lacks, and lacks the same.
  for (const CsvTable* const beside : {static_cast<const CsvTable*>(nullptr), &*table}) {
    const auto log = request_log::take_requests(*table, beside);
    if (!log) {
      require(log.error().file == "fuzz.csv" && !log.error().message.empty(), "an error without its file");
      continue;
    }
    require(log->requests.size() == table->rows.size(), "a request without its row");
    Interner strings;
    const trace::RankTrace rank = request_log::trace_requests(*log, strings);
    for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
      require(rank.duration[e] >= 0 && trace::is_moment(rank.start[e]) && trace::is_moment(rank.end(e)),
              "a time beyond");
      require(rank.lane[e] < rank.lanes.size(), "an event without its lane");
    }
    for (const trace::NamedArgument& argument : rank.arguments.named()) {
      for (const trace::EventIndex e : argument.values.event) require(e < rank.event_count(), "an argument of nothing");
    }
  }
  return 0;
}
