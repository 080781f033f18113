// Feeds arbitrary bytes to the readers of step logs and of tables of training operations. What is accepted keeps its
// promises: ranks in order, times within bounds, arguments of events that are there.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "formats/step_logs/mllog.h"
#include "formats/step_logs/step_log.h"
#include "formats/training_operations/reader.h"

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void check(const orrery::trace::RankTrace& rank) {
  using namespace orrery;
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    require(rank.duration[e] >= 0 && trace::is_moment(rank.start[e]) && trace::is_moment(rank.end(e)), "a time beyond");
    require(rank.lane[e] < rank.lanes.size() && rank.category[e] < rank.categories.size(), "an event without its lane");
  }
  for (const trace::EventIndex e : rank.field(trace::Field::collective_sequence).event)
    require(e < rank.event_count(), "an argument of nothing");
}

void check(const orrery::Result<orrery::trace::Trace>& trace) {
  if (!trace)
    return require(!trace.error().message.empty() && trace.error().file == "fuzz", "an error without its file");
  for (std::size_t r = 0; r < trace->ranks.size(); ++r) {
    check(trace->ranks[r]);
    require(r == 0 || trace->ranks[r - 1].rank < trace->ranks[r].rank, "ranks out of order");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  std::string padded(reinterpret_cast<const char*>(data), size);
  padded.append(64, '\0');
  const std::string_view bytes = std::string_view(padded).substr(0, size);
  const step_logs::LogText text{bytes, "fuzz", size};
  Diagnostics diagnostics;
  if (step_logs::is_mllog(bytes)) {
    Interner strings;
    if (const auto rank = step_logs::parse_mllog(text, strings, diagnostics)) check(*rank);
  }
  if (step_logs::is_step_log(bytes)) check(step_logs::parse_step_log(text, diagnostics));
  if (training_operations::is_table(bytes)) check(training_operations::parse_table(bytes, "fuzz", diagnostics));
  return 0;
}
