// Feeds arbitrary bytes to the readers of dumps, pickle and JSON, and asks why the job hangs.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "analyze/hang/hang.h"
#include "formats/flight_recorder/call_ends.h"
#include "formats/flight_recorder/dump.h"
#include "formats/flight_recorder/rank_builder.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace orrery;
  const auto require = [](bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  };
  std::string bytes(reinterpret_cast<const char*>(data), size);
  bytes.append(64, '\0');
  Result<flight_recorder::Dump> dump =
      flight_recorder::Dump::read(std::string_view(bytes).substr(0, size), "fuzz_rank_0");
  if (!dump) {
    require(dump.error().file == "fuzz_rank_0", "an error without its file");
    return 0;
  }
  trace::ReadRank read;
  flight_recorder::build_rank(*dump, "fuzz_rank_0", read);
  read.rank.source.properties.emplace_back("form", "\"fuzz\"");
  trace::ReadRank* const ranks[] = {&read};
  // A world that a few bytes claim is not written out a million times a second.
  if (read.rank.source.world_size.value_or(0) > 1000) return 0;
  flight_recorder::complete_groups(ranks);
  Diagnostics diagnostics;
  flight_recorder::estimate_ends(ranks, diagnostics);
  for (trace::EventIndex e = 0; e < read.rank.event_count(); ++e)
    require(read.rank.duration[e] >= 0, "a negative duration");
  trace::Trace job;
  if (!trace::add_rank(job, std::move(read.rank), read.strings)) return 0;
  const analyze::JobCalls calls = analyze::collect_calls(job);
  require(!analyze::sentence_of(calls, analyze::find_hang(calls)).empty(), "no sentence");
  return 0;
}
